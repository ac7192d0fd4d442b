/* SPDX-License-Identifier: MIT */
/* lsp: what the files of `tilewright lsp` share. The server knows texts, messages and indices (<tilewright/index.h>);
 * what a language means lies behind a row of lsp_languages. */
#ifndef TW_CLI_LSP_H
#define TW_CLI_LSP_H

#include "cli/cli.h"
#include "cli/messages.h"

#include <glib.h>
#include <tilewright/index.h>

enum {
    TW__LSP_PARSE = -32700,
    TW__LSP_INVALID = -32600,
    TW__LSP_METHOD = -32601,
    TW__LSP_PARAMS = -32602,
    TW__LSP_NOT_INITIALIZED = -32002,
    TW__LSP_FAILED = -32803,
    TW__LSP_CANCELLED = -32800
};

/* --- lsp_text.c: a text and positions in it ------------------------------------------------------------------ */

typedef struct tw__lsp_text {
    char *bytes; /* 0-terminated */
    size_t size;
    GArray *lines;        /* size_t: where each begins, behind LF, CR LF or CR; there is always one */
    GArray *source_lines; /* as compilers count them, behind LF alone */
} tw__lsp_text;

void tw__lsp_text_set(tw__lsp_text *text, char *bytes, size_t size); /* takes the bytes over */
void tw__lsp_text_clear(tw__lsp_text *text);
/* From a position of the protocol, in units of 16 bits unless `utf8`; what lies behind a line's end is its end. */
size_t tw__lsp_offset(const tw__lsp_text *text, const json_t *position, bool utf8);
json_t *tw__lsp_position(const tw__lsp_text *text, size_t offset, bool utf8);
json_t *tw__lsp_range(const tw__lsp_text *text, size_t from, size_t until, bool utf8);
/* One change of didChange; false: it is malformed. */
bool tw__lsp_change(tw__lsp_text *text, const json_t *change, bool utf8);
char *tw__lsp_path_of(const char *uri); /* canonical; a URI of no file stays as it is */
char *tw__lsp_uri_of(const char *path);

/* --- documents, programs, languages -------------------------------------------------------------------------- */

typedef struct tw__lsp tw__lsp;
typedef struct tw__lsp_language tw__lsp_language;

/* What is analysed as one: a layout with all that it imports and places, or a file. */
typedef struct tw__lsp_program {
    const tw__lsp_language *language;
    char *root;       /* path of the top file */
    tw_index *index;  /* of the texts as they are, once it is not stale */
    tw_index *known;  /* the last one of a text without errors: types that a broken text does not tell */
    GHashTable *told; /* paths that have diagnostics now */
    enum { TW__LSP_STALE, TW__LSP_QUICK, TW__LSP_DONE } state;
} tw__lsp_program;

typedef struct tw__lsp_document {
    char *uri, *path;
    json_int_t version;
    tw__lsp_text text;
    const tw__lsp_language *language;
    tw__lsp_program *program;
    tw_index *outline; /* when the program's index does not have it */
} tw__lsp_document;

/* What the client told: at initialize, and as settings. */
struct tw__lsp {
    tw__messages stream;
    enum { TW__LSP_NEW, TW__LSP_READY, TW__LSP_SHUT_DOWN, TW__LSP_EXIT } state;
    bool utf8, snippets, markdown, plain_symbols;
    GPtrArray *folders;    /* paths of the workspace */
    json_t *settings;      /* an object */
    GHashTable *documents; /* path -> tw__lsp_document */
    GPtrArray *programs;   /* tw__lsp_program */
    bool stopped;          /* the analysis that runs now was told to end */
};

/* A word that can be completed everywhere, and what hover says of it. */
typedef struct tw__lsp_word {
    const char *label, *detail, *doc, *snippet; /* NULL: nothing to say; snippet NULL: the label */
    int kind;                                   /* CompletionItemKind */
} tw__lsp_word;

struct tw__lsp_language {
    const char *id, *suffixes; /* of the protocol; "|.csl|" */
    const char *comment;       /* of a line */
    const char *name_bytes;    /* beside letters, digits and _: of names */
    /* The program that a file belongs to: path of its top file (g_free). NULL: the file itself. */
    char *(*root)(tw__lsp *server, const char *path);
    /* Analyses; `quick`: what is done soon; `stoppable`: news end it. NULL: no memory. */
    tw_index *(*index)(tw__lsp *server, const tw__lsp_program *program, bool quick, bool stoppable,
                       tw_diags *diags);
    /* A file alone, as text: what the program's index does not come to. */
    tw_index *(*outline)(tw__lsp *server, const char *path, tw_diags *diags);
    bool (*word)(size_t index, tw__lsp_word *word); /* false past the end */
    char *(*format)(const char *text, size_t size); /* NULL: it has errors; no function: it cannot be formatted */
    bool (*is_name)(const char *name);              /* may something be called so? */
    /* Options with which a program is compiled, g_strfreev(). No function: it has none. */
    char **(*options)(const tw__lsp *server, const char *root);
};
extern const tw__lsp_language tw__lsp_csl, tw__lsp_pto, tw__lsp_asm;

/* lsp_programs.c */
const tw__lsp_language *tw__lsp_language_of(const char *id, const char *path);
char *tw__lsp_open(void *server, const char *path, size_t *size); /* of documents; NULL: none is open there */
bool tw__lsp_has_news(void *server); /* something came that makes the analysis worthless */
void tw__lsp_attach(tw__lsp *server, tw__lsp_document *document);
void tw__lsp_touch(tw__lsp *server, const char *path); /* its text is another one */
/* Does the next piece of work and tells its diagnostics; false: there is none. */
bool tw__lsp_work(tw__lsp *server);
void tw__lsp_update(tw__lsp *server, tw__lsp_program *program); /* now, if it is stale */
void tw__lsp_prune(tw__lsp *server); /* drops programs of which no document is open, and their diagnostics */
void tw__lsp_program_free(void *program);

/* --- lsp_query.c: questions to an index ---------------------------------------------------------------------- */

/* Where a request points, with an index that fits the text. */
typedef struct tw__lsp_spot {
    tw__lsp *server;
    tw__lsp_document *document;
    tw__lsp_program *program;
    const tw_index *index;
    uint32_t file;   /* of the document; TW_INDEX_NONE: the index does not know it */
    size_t offset;   /* of the position, when there is one */
    uint32_t symbol; /* what the name there means; TW_INDEX_NONE */
    const tw_index_use *use;
    size_t from, until; /* of the word there */
} tw__lsp_spot;

bool tw__lsp_find(tw__lsp *server, const json_t *params, tw__lsp_spot *spot);
const tw_index_symbol *tw__lsp_symbol(const tw__lsp_spot *spot, uint32_t symbol);
/* The innermost thing that `name` means at `offset`. */
uint32_t tw__lsp_look_up(const tw_index *index, uint32_t file, size_t offset, const char *name, size_t length);
/* What "a.b" before `end` means: the symbol at its end, in the index that knows its type; NULL: unknown. */
uint32_t tw__lsp_chain(const tw__lsp_spot *spot, size_t end, const tw_index **index);
bool tw__lsp_is_name_byte(const tw__lsp_language *language, char c);
/* Text of a file of the index, of a document or from disk; tw__lsp_text_clear() it. */
bool tw__lsp_load(tw__lsp *server, const tw_index *index, uint32_t file, tw__lsp_text *out);
json_t *tw__lsp_location(const tw__lsp_spot *spot, uint32_t file, uint32_t at, uint32_t length); /* NULL: no file */
/* Lines of comments above a definition; g_free. NULL: none. */
char *tw__lsp_comment(const tw__lsp_spot *spot, const tw_index_symbol *symbol);
char *tw__lsp_describe(const tw__lsp_spot *spot, const tw_index_symbol *s); /* "const x: u16 = 4"; g_free */

/* lsp_complete.c: "name(${1:a}, ${2:b})" from "name(a: u16, b: u16) ..."; g_free. */
char *tw__lsp_call_snippet(const char *name, const char *signature);

/* --- requests: params to result; NULL with *error set, or json_null() ---------------------------------------- */

typedef json_t *tw__lsp_request(tw__lsp *server, const json_t *params, const char **error);
tw__lsp_request tw__lsp_hover, tw__lsp_definition, tw__lsp_references, tw__lsp_highlight, tw__lsp_symbols,
    tw__lsp_workspace_symbols, tw__lsp_rename, tw__lsp_prepare_rename, tw__lsp_completion, tw__lsp_signature,
    tw__lsp_inlay, tw__lsp_formatting, tw__lsp_program_of;

#endif
