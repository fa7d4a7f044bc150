/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/show.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/compare/fold.h"
#include "analyzer/text/safe.h"
#include "analyzer/timeline/cause.h"

#define ROW_COLUMN  37u /* where the words of a row begin, behind its numbers */
#define LEAST_WIDTH 60u

/* Text and markdown differ in how a line of a table looks. */
struct show {
	struct out *out;
	bool markdown;
};

static const char *const part_titles[COMPARE_PART_COUNT] = {
	"lines", "operators", "kernels", "copies", "API functions"};
static const char *const part_times[COMPARE_PART_COUNT] = {
	"host time", "host time", "GPU time", "GPU time", "host time"};

static const char *put_ns(double ns, bool sign, char *buffer, size_t size)
{
	const char *format = sign ? "%+.*f %s" : "%.*f %s";
	double most = fabs(ns);
	if (most < 1e3)
		(void)snprintf(buffer, size, format, 0, ns, "ns");
	else if (most < 1e6)
		(void)snprintf(buffer, size, format, 1, ns / 1e3, "us");
	else if (most < 1e9)
		(void)snprintf(buffer, size, format, 2, ns / 1e6, "ms");
	else
		(void)snprintf(buffer, size, format, 2, ns / 1e9, "s");
	return buffer;
}

/* Text of a trace: harmless for a terminal, or for a cell of a markdown table. */
static void put_text(const struct show *show, const char *text)
{
	if (show->markdown)
		safe_markdown(show->out, text);
	else
		out_printable(show->out, text, 90);
}

static void put_title(const struct show *show, const char *title, const char *head)
{
	if (show->markdown)
		out_format(show->out, "\n#### %s\n\n| %s |\n| ---: | ---: | ---: | --- |\n", title,
			head);
	else
		out_format(show->out, "\n%s:\n", title);
}

/* "+1.20 ms (3.10 ms -> 4.30 ms)  what". */
static void put_line(const struct show *show, const struct compare_pair *pair, const char *unit)
{
	char change[40], base[40], next[40];
	if (!pair->known) {
		(void)snprintf(change, sizeof(change), "-");
		(void)snprintf(base, sizeof(base), "-");
		(void)snprintf(next, sizeof(next), "-");
	} else if (unit == NULL) {
		(void)put_ns(compare_change(pair), true, change, sizeof(change));
		(void)put_ns(pair->base, false, base, sizeof(base));
		(void)put_ns(pair->next, false, next, sizeof(next));
	} else {
		(void)snprintf(change, sizeof(change), "%+.4g%s", compare_change(pair), unit);
		(void)snprintf(base, sizeof(base), "%.4g%s", pair->base, unit);
		(void)snprintf(next, sizeof(next), "%.4g%s", pair->next, unit);
	}
	if (show->markdown)
		out_format(show->out, "| %s | %s | %s | ", base, next, change);
	else
		out_format(show->out, "  %10s %10s %11s  ", base, next, change);
}

static void end_line(const struct show *show)
{
	out_text(show->out, show->markdown ? " |\n" : "\n");
}

static void put_place(const struct show *show, const struct summary_place *place)
{
	char line[24] = "";
	if (place->path[0] == '\0')
		return;
	if (place->line > 0)
		(void)snprintf(line, sizeof(line), ":%" PRIu64, place->line);
	out_char(show->out, ' ');
	put_text(show, place->path);
	out_text(show->out, line);
	if (place->op != NULL) {
		out_text(show->out, ", ");
		put_text(show, place->op);
	}
}

static void put_step(const struct show *show, const struct comparison *comparison)
{
	char base[40], next[40];
	const struct compare_pair *step = &comparison->step_ns;
	struct out *out = show->out;
	if (!step->known) {
		out_text(out, "step: the time of a step is not known on both sides\n");
		return;
	}
	out_format(out, "step: %s -> %s (%+.1f %%)", put_ns(step->base, false, base, sizeof(base)),
		put_ns(step->next, false, next, sizeof(next)),
		100 * (step->next - step->base) / step->base);
	if (comparison->base_runs == 1 || comparison->next_runs == 1)
		out_text(out, "; one run on a side: times of two runs of one program differ, too");
	else
		out_format(out,
			"; medians of %zu and %zu runs, which lie %.1f %% and %.1f %% apart",
			comparison->base_runs, comparison->next_runs, comparison->base_spread_pct,
			comparison->next_spread_pct);
	out_char(out, '\n');
}

/* What times that are compared with one another are. */
static void put_device(const struct show *show, const struct comparison *comparison)
{
	bool base = summary_simulated(comparison->base), next = summary_simulated(comparison->next);
	if (base && next)
		out_text(show->out, "both sides are of a simulated GPU: counts are the program's, "
				    "times are modelled\n");
	else if (base || next)
		out_format(show->out,
			"%s is of a simulated GPU: compare counts alone, its times are modelled\n",
			base ? "base" : "new");
	if (show->markdown && (base || next))
		out_char(show->out, '\n');
}

/* As the account of a report says it: of the host alone where neither side has a GPU. */
static const char *words_of(const struct comparison *comparison, const char *cause)
{
	return cause_words(cause, !comparison->busy_pct.known);
}

static void put_verdicts(const struct show *show, const struct comparison *comparison)
{
	static const struct {
		const char *title;
		size_t offset;
	} ratios[] = {
		{"waiting for data", offsetof(struct comparison, reader_pct)},
		{"GPU busy", offsetof(struct comparison, busy_pct)},
		{"host not waiting", offsetof(struct comparison, host_pct)},
	};
	const struct summary *sides[] = {comparison->base, comparison->next};
	for (unsigned i = 0; i < 2; i++) {
		const char *cause = sides[i]->cause;
		out_text(show->out, i == 0 ? "base: " : show->markdown ? "\\\nnew: " : "new:  ");
		put_text(show, sides[i]->verdict != NULL ? sides[i]->verdict : "unknown");
		out_text(show->out, cause != NULL ? ", " : "");
		put_text(show, cause != NULL ? words_of(comparison, cause) : "");
		out_format(show->out, " (confidence %s)",
			sides[i]->confidence != NULL ? sides[i]->confidence : "unknown");
		out_text(show->out, show->markdown ? "" : "\n");
	}
	out_text(show->out, show->markdown ? "\n" : "");
	put_title(show, "ratios", "base | new | change | of a step");
	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		put_line(show,
			(const struct compare_pair *)((const char *)comparison + ratios[i].offset),
			" %");
		out_text(show->out, ratios[i].title);
		end_line(show);
	}
}

static void put_causes(const struct show *show, const struct comparison *comparison)
{
	char left[40], all[40];
	put_title(show, "what explains the difference", "base | new | change | cause");
	for (size_t i = 0; i < comparison->causes.count; i++) {
		const struct compare_cause *cause = &comparison->causes.items[i];
		if (cause->ns.base <= 0 && cause->ns.next <= 0)
			continue;
		put_line(show, &cause->ns, NULL);
		put_text(show, words_of(comparison, cause->cause));
		end_line(show);
	}
	if (comparison->step_ns.known)
		out_format(show->out, "%s%s of %s is left unexplained\n",
			show->markdown ? "\n" : "  ",
			put_ns(comparison->unexplained_ns, true, left, sizeof(left)),
			put_ns(compare_change(&comparison->step_ns), true, all, sizeof(all)));
}

static void put_findings(const struct show *show, const struct comparison *comparison)
{
	if (comparison->findings.count == 0)
		return;
	put_title(show, "findings, by what they cost a step", "base | new | change | finding");
	for (size_t i = 0; i < comparison->findings.count; i++) {
		const struct compare_finding *finding = &comparison->findings.items[i];
		const struct summary_finding *is =
			finding->next != NULL ? finding->next : finding->base;
		put_line(show, &finding->exposed_ns, NULL);
		out_text(show->out, compare_state_names[finding->state]);
		out_text(show->out, ": ");
		put_text(show, is->rule);
		put_place(show, &is->place);
		end_line(show);
	}
}

static void put_change(const struct show *show, const struct compare_row *row)
{
	put_line(show, &row->count, "");
	out_format(show->out, "%s: ", compare_state_names[row->state]);
	put_text(show, row->name);
	put_place(show, &row->place);
}

static void put_more(const struct show *show, size_t count)
{
	if (count > SHOW_ROWS)
		out_format(show->out, "%s%zu more have changed (--format json has all)\n",
			show->markdown ? "\n" : "  ", count - SHOW_ROWS);
}

static void put_rows(
	const struct show *show, const struct comparison *comparison, enum compare_part part)
{
	size_t count = comparison->rows[part].count;
	char title[120];
	if (count == 0)
		return;
	(void)snprintf(title, sizeof(title), "%s: calls per step, then %s", part_titles[part],
		part_times[part]);
	put_title(show, title, "base | new | change | what");
	for (size_t i = 0; i < count && i < SHOW_ROWS; i++) {
		const struct compare_row *row = &comparison->rows[part].items[i];
		char ns[40], bytes[64] = "";
		put_change(show, row);
		if (fabs(compare_change(&row->bytes)) >= 1)
			(void)snprintf(
				bytes, sizeof(bytes), ", %+.0f bytes", compare_change(&row->bytes));
		out_format(show->out, " (%s%s)",
			row->ns.known ? put_ns(compare_change(&row->ns), true, ns, sizeof(ns))
				      : "time unknown",
			bytes);
		end_line(show);
	}
	put_more(show, count);
}

/* The cause that changed most, of those that went the way of the step; NULL: none did. */
static const struct compare_cause *main_cause(const struct comparison *comparison)
{
	double change = compare_change(&comparison->step_ns);
	for (size_t i = 0; i < comparison->causes.count; i++)
		if (compare_change(&comparison->causes.items[i].ns) * change > 0)
			return &comparison->causes.items[i];
	return NULL;
}

static void put_rank(const struct show *show, const struct comparison *comparison)
{
	const struct compare_cause *cause = main_cause(comparison);
	char change[40];
	put_line(show, &comparison->step_ns, NULL);
	out_format(show->out, "rank %" PRId64, comparison->base->rank);
	if (cause != NULL)
		out_format(show->out, ", most of it %s (%s)", cause->cause,
			put_ns(compare_change(&cause->ns), true, change, sizeof(change)));
	end_line(show);
}

/* "rank 1", "ranks 0, 2-3". */
static void put_ranks(const struct show *show, const int64_t *ranks, size_t count)
{
	out_text(show->out, count > 1 ? "ranks" : "rank");
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && ranks[next] == ranks[next - 1] + 1; next++)
			;
		out_format(show->out, "%s %" PRId64, i > 0 ? "," : "", ranks[i]);
		if (next > i + 1)
			out_format(show->out, "-%" PRId64, ranks[next - 1]);
	}
}

static void put_uneven(const struct show *show, const struct comparison *comparison)
{
	size_t count = comparison->uneven.count;
	if (count == 0) {
		out_format(show->out, "%sall counts changed alike on all ranks\n",
			show->markdown ? "\n" : "  ");
		return;
	}
	put_title(show, "not alike on all ranks: calls per step", "base | new | change | what");
	for (size_t i = 0; i < count && i < SHOW_ROWS; i++) {
		const struct compare_uneven *uneven = &comparison->uneven.items[i];
		put_change(show, uneven->row);
		out_text(show->out, " on ");
		put_ranks(show, &comparison->uneven_ranks.items[uneven->ranks], uneven->rank_count);
		end_line(show);
	}
	put_more(show, count);
}

/* Of several ranks: what the one that is shown is not. */
static void put_rank_by_rank(const struct show *show, const struct comparison *comparison)
{
	if (comparison->others.count == 0)
		return;
	put_title(show, "rank by rank, a step", "base | new | change | rank");
	put_rank(show, comparison);
	for (size_t i = 0; i < comparison->others.count && i < SHOW_RANKS; i++)
		put_rank(show, &comparison->others.items[i]);
	if (comparison->others.count > SHOW_RANKS)
		out_format(show->out, "%s%zu more ranks (--format json has all)\n",
			show->markdown ? "\n" : "  ", comparison->others.count - SHOW_RANKS);
	put_uneven(show, comparison);
}

static void put_all(const struct show *show, const struct comparison *comparison)
{
	if (comparison->others.count > 0)
		out_format(show->out,
			"%zu ranks are compared, each with the same one: this is rank %" PRId64
			", see \"rank by rank\" for the others%s\n",
			comparison->others.count + 1, comparison->base->rank,
			show->markdown ? "\n" : "");
	put_step(show, comparison);
	out_text(show->out, show->markdown ? "\n" : "");
	put_device(show, comparison);
	put_verdicts(show, comparison);
	put_causes(show, comparison);
	put_findings(show, comparison);
	for (unsigned part = 0; part < COMPARE_PART_COUNT; part++)
		put_rows(show, comparison, (enum compare_part)part);
	put_rank_by_rank(show, comparison);
}

void show_text(struct out *out, const struct term *term, const struct comparison *comparison)
{
	struct out lines;
	const struct show show = {.out = &lines};
	if (out_open_memory(&lines) < 0) {
		out->error = -ENOMEM;
		return;
	}
	put_all(&show, comparison);
	fold_lines(out, lines.buffer, lines.used,
		term->width < LEAST_WIDTH ? LEAST_WIDTH : term->width, ROW_COLUMN);
	if (lines.error != 0)
		out->error = lines.error;
	(void)out_close(&lines);
}

void show_markdown(struct out *out, const struct comparison *comparison)
{
	const struct show show = {.out = out, .markdown = true};
	out_text(out, "### Comparison of ");
	put_text(&show, comparison->base->program != NULL ? comparison->base->program : "two runs");
	out_text(out, "\n\n");
	put_all(&show, comparison);
}
