/* code_functions.c - reads the functions in the symbol table of an ELF file */
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "parsers/code/code_map_internal.h"

static int by_address(const void *left, const void *right)
{
    const struct code_function *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Returns the full symbol table, or the dynamic one when the file is stripped. */
static Elf_Scn *find_symbol_table(Elf *elf, GElf_Shdr *header)
{
    Elf_Scn *section = NULL, *found = NULL;
    GElf_Shdr candidate;

    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &candidate))
            continue;
        if (candidate.sh_type == SHT_SYMTAB ||
            (candidate.sh_type == SHT_DYNSYM && !found)) {
            found = section;
            *header = candidate;
        }
        if (candidate.sh_type == SHT_SYMTAB)
            break;
    }
    return found;
}

/* Returns the size of a symbol; if the table has none, up to the section's end. */
static uint64_t symbol_size(Elf *elf, const GElf_Sym *symbol)
{
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    GElf_Shdr header;

    if (symbol->st_size > 0)
        return symbol->st_size;
    if (!section || !gelf_getshdr(section, &header) ||
        symbol->st_value - header.sh_addr >= header.sh_size)
        return 0;
    return header.sh_size - (symbol->st_value - header.sh_addr);
}

static void drop_duplicates(struct code_functions *functions)
{
    size_t kept = 0;

    for (size_t i = 0; i < functions->count; i++)
        if (kept == 0 ||
            functions->rows[i].address != functions->rows[kept - 1].address)
            functions->rows[kept++] = functions->rows[i];
    functions->count = kept;
}

int code_functions_read(struct code_functions *functions, Elf *elf, struct err *err)
{
    GElf_Shdr header;
    Elf_Scn *section = find_symbol_table(elf, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t count;

    if (!data || header.sh_entsize == 0)
        return 0;
    count = data->d_size / sizeof(Elf64_Sym);
    if (count > CODE_TABLE_MAX)
        return err_set(err, ERR_LIMIT, "%zu symbols", count);
    functions->rows = xcalloc(count + 1, sizeof(functions->rows[0]));
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *name;

        if (!gelf_getsym(data, (int)i, &symbol) ||
            GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
            continue;
        name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name && *name)
            functions->rows[functions->count++] = (struct code_function){
                symbol.st_value, symbol_size(elf, &symbol), name};
    }
    if (functions->count > 0)
        qsort(functions->rows, functions->count, sizeof(functions->rows[0]),
              by_address);
    drop_duplicates(functions);
    return 0;
}
