/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "collector/drain/secret.h"

/* Arguments with | between them, as they come, and what is kept of them. */
static void expect(const char *arguments, bool is_cut, const char *expected)
{
	char raw[512], text[512];
	size_t length = strlen(arguments);
	memcpy(raw, arguments, length);
	for (size_t i = 0; i < length; i++)
		if (raw[i] == '|')
			raw[i] = '\0';
	secret_mask(raw, length, is_cut, text, sizeof(text));
	cr_assert(zero(int, strcmp(text, expected)), "%s\ngives %s\nnot   %s", arguments, text,
		expected);
}

Test(secret, values_of_names_are_masked)
{
	static const char *const cases[][2] = {
		{"train.py|--token=abc|--lr|0.1", "train.py --token=*** --lr 0.1"},
		{"train.py|--token|abc|--lr|0.1", "train.py --token *** --lr 0.1"},
		{"train.py|--hf-token|abc", "train.py --hf-token ***"},
		{"-password|x", "-password ***"},
		{"--db.Password=a,b c", "--db.Password=***"},
		{"env|HF_TOKEN=abc|python|t.py", "env HF_TOKEN=*** python t.py"},
		{"WANDB_API_KEY=abc", "WANDB_API_KEY=***"},
		{"--aws_secret_access_key=a|x", "--aws_secret_access_key=*** x"},
		{"--db-pass|x|y", "--db-pass *** y"},
		{"auth.jwt=a.b.c", "auth.jwt=***"},
		{"-H|Authorization: Bearer abc", "-H Authorization:***"},
		{"-H|X-Api-Key: abc", "-H X-Api-Key:***"},
		{"-c|login(token = 'abc', x=1)", "-c login(token =***"},
		{"-c|os.environ[\"TOKEN\"] = 'a'", "-c os.environ[\"TOKEN\"] =***"},
		{"{\"client_secret\": \"a\"}", "{\"client_secret\":***"},
		{"https://h/p?a=1&access_token=abc&b=2", "https://h/p?a=1&access_token=***"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(cases[i][0], false, cases[i][1]);
}

Test(secret, urls_keep_their_host_only)
{
	static const char *const cases[][2] = {
		{"postgres://me:pass@db:5432/x", "postgres://***@db:5432/x"},
		{"--url=https://me:p@ss@host/x|y", "--url=https://***@host/x y"},
		{"https://abc@host", "https://***@host"},
		{"redis://:pa/ss@host/0", "redis://***@host/0"},
		{"git+https://host/x/y@v1", "git+https://host/x/y@v1"},
		{"http://host:8080/x@2", "http://host:8080/x@2"},
		{"a://u:p@h b://v:q@i", "a://***@h b://***@i"},
		{"s3://bucket/key", "s3://bucket/key"},
		{"://", "://"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(cases[i][0], false, cases[i][1]);
}

Test(secret, tokens_of_known_services_are_masked_anywhere)
{
	expect("login|hf_abcdefghijklmnopqrst", false, "login ***");
	expect("x=ghp_0123456789abcdef,y", false, "x=***");
	expect("half_hf_abcdefghijklmnopqrst", false, "half_hf_abcdefghijklmnopqrst");
	expect("hf_short", false, "hf_short");
}

Test(secret, what_is_no_secret_stays)
{
	static const char *const plain[] = {"python3|train.py|--tokenizer|gpt2|--max-tokens=512",
		"--use-auth-token|--lr=3", "--pin-memory=1", "--bypass=2", "--sort-key=loss",
		"--monkey=1", "--token-dim=64", "secret.py|a:b|c=d", "--token=", "|", "a||b",
		"--author=me", "--compass|3"};
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		char expected[128];
		(void)snprintf(expected, sizeof(expected), "%s", plain[i]);
		for (char *at = expected; *at != '\0'; at++)
			if (*at == '|')
				*at = ' ';
		/* The blank behind the last argument is nobody's. */
		size_t length = strlen(plain[i]);
		if (plain[i][length - 1] == '|')
			expected[length - 1] = '\0';
		expect(plain[i], false, expected);
	}
}

Test(secret, half_of_a_secret_is_one)
{
	expect("a|https://me:pa", true, "a https://***");
	expect("a|https://host/pa", true, "a https://host/pa");
	expect("https://host|a", true, "https://host a");
	expect("a|hf_abc", true, "a ***");
	expect("--password=a", true, "--password=***");
}

Test(secret, the_text_is_cut_at_its_room)
{
	char text[8];
	secret_mask("abc\0defghij", 11, false, text, sizeof(text));
	cr_assert(zero(int, strcmp(text, "abc def")));
	secret_mask("t=a\0token=b", 11, false, text, 1);
	cr_assert(zero(int, strcmp(text, "")));
	secret_mask("", 0, false, text, sizeof(text));
	cr_assert(zero(int, strcmp(text, "")));
}
