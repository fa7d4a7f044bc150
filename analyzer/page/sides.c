/* SPDX-License-Identifier: MIT */
#include "analyzer/page/sides.h"

#include "analyzer/page/assets.h"
#include "analyzer/page/block.h"
#include "analyzer/text/json.h"

int page_print_sides(struct out *out, struct out *comparison, const char *version)
{
	struct out extra;
	struct json json;
	int err = out_open_memory(&extra);
	if (err < 0)
		return err;
	json_init(&json, &extra, false);
	json.dense = true;
	json_object(&json);
	json_add_text(&json, "version", version);
	block_add_causes(&json, false);
	json_object_end(&json);
	json_finish(&json);
	out_bytes(out, page_before, (size_t)(page_before_end - page_before));
	block_put(out, "comparison", comparison);
	block_put(out, "extra", &extra);
	out_bytes(out, page_after, (size_t)(page_after_end - page_after));
	err = extra.error;
	(void)out_close(&extra);
	return err < 0 ? err : comparison->error;
}
