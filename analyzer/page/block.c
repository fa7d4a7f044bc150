/* SPDX-License-Identifier: MIT */
#include "analyzer/page/block.h"

#include "analyzer/timeline/cause.h"

/*
 * JSON inside of HTML: in a script's text "<" begins more than an end tag. Lines are for people;
 * inside of its texts JSON has no line ends.
 */
static void put_escaped(struct out *out, const char *text, size_t size)
{
	const char *end = text + size;
	while (text < end) {
		const char *at = text;
		while (at < end && *at != '<' && *at != '\n')
			at++;
		out_bytes(out, text, (size_t)(at - text));
		if (at < end && *at == '<')
			out_text(out, "\\u003c");
		else
			while (at + 1 < end && at[1] == ' ')
				at++;
		text = at + 1;
	}
}

void block_put(struct out *out, const char *id, struct out *json)
{
	out_text(out, "<script type=\"application/json\" id=\"");
	out_text(out, id);
	out_text(out, "\">");
	put_escaped(out, json->buffer, json->used);
	out_text(out, "</script>\n");
	json->used = 0;
}

void block_add_causes(struct json *json, bool alone)
{
	json_add_array(json, "causes");
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		json_object(json);
		json_add_text(json, "name", cause_infos[i].name);
		json_add_text(json, "text", cause_text((enum cause)i, alone));
		json_object_end(json);
	}
	json_array_end(json);
}
