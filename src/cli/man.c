/* SPDX-License-Identifier: MIT */
/* man: `tilewright man [COMMAND]`, pages of section 1, which the build makes (packaging/man.sh) from the texts that
 * --help prints: one fact in one place. Not in the table of commands, like `complete`: people call `man`. */
#include "cli/cli.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

/* Text for roff: hyphens that stay hyphens, no request and no escape in it. */
static void man_text(const char *text)
{
    bool at_start = true;
    for (; *text; text++) {
        if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        at_start = *text == '\n';
    }
}

/* Lines in columns, as they stand. */
static void man_lines(const char *lines)
{
    puts(".nf");
    man_text(lines);
    if (*lines && lines[strlen(lines) - 1] != '\n') putchar('\n');
    puts(".fi");
}

/* `also`: the name it is installed as, which has a page that refers to this one; or NULL. */
static void man_head(const char *name, const char *also, const char *summary)
{
    fputs(".TH ", stdout);
    for (const char *at = name; *at; at++) putchar(g_ascii_toupper(*at));
    printf(" 1 \"\" \"Tilewright %s\" \"Tilewright\"\n.SH NAME\n", tw_version());
    man_text(name);
    if (also) printf(", "), man_text(also);
    fputs(" \\- ", stdout);
    man_text(summary);
    puts("\n.SH SYNOPSIS");
}

static void man_foot(void)
{
    puts(".SH EXIT STATUS\n0: success; 1: the job failed; 2: the command line was wrong.\n.SH SEE ALSO");
    puts("The manuals of each system, in share/doc/tilewright where this is installed, and");
}

static void man_options(const tw__command *c)
{
    bool any = false;
    for (size_t i = 0; i < c->option_count; i++) {
        const tw__cli_option *o = &c->options[i];
        if (!o->help) continue;
        puts(any ? ".TP" : ".SH OPTIONS\n.TP");
        fputs("\\fB", stdout), man_text(o->name), fputs("\\fR", stdout);
        if (o->value) fputs(" \\fI", stdout), man_text(o->value), fputs("\\fR", stdout);
        putchar('\n');
        man_text(o->help);
        putchar('\n');
        any = true;
    }
}

void tw__cli_print_man(const tw__command *c)
{
    g_autofree char *name = g_strconcat("tilewright-", c->name, NULL);
    man_head(name, c->installed_as, c->summary);
    printf(".B tilewright "), man_text(c->name);
    puts(""), man_text(c->arguments), puts("");
    if (c->installed_as) printf(".PP\nAlso installed as \\fB%s\\fR.\n", c->installed_as);
    if (*c->help) puts(".SH DESCRIPTION"), man_lines(c->help);
    man_options(c);
    puts(".SH EXAMPLES"), man_lines(c->example);
    man_foot();
    puts(".BR tilewright (1).");
}

void tw__cli_print_man_of_all(const tw__command *const *commands, size_t count)
{
    man_head("tilewright", NULL, "programs for tile processors: compile, run and profile them on this machine");
    puts(
        ".B tilewright\n.I COMMAND\n[arguments]\n.SH DESCRIPTION\nPoplar programs for the Graphcore IPU, CSL for "
        "the "
        "Cerebras wafer, AMD AI Engine graphs and kernels, and PTO programs for Ascend run on an ordinary machine: "
        "simulated, with values to the bit where documents allow it and with cycles that say how sure they are.\n"
        ".SH COMMANDS");
    for (size_t i = 0; i < count; i++) {
        printf(".TP\n\\fB"), man_text(commands[i]->name), puts("\\fR");
        man_text(commands[i]->summary), puts("");
    }
    puts(".SH OPTIONS\n.TP\n\\fB\\-\\-version\\fR\nversion, and the commit it was built from\n"
         ".TP\n\\fB\\-\\-help\\fR\na summary; behind a command that of the command");
    man_foot();
    for (size_t i = 0; i < count; i++)
        printf(".BR tilewright\\-%s (1)%s\n", commands[i]->name, i + 1 < count ? "," : ".");
}
