/* camodel_sample.c - stands for the runtime of the vendor's instruction simulator
 *
 * Preloaded with the variables of a simulated run, it writes logs of two cores with the
 * lines that the vendor's simulator writes. CAMODEL_SAMPLE selects the logs: "all",
 * "few" (instructions only), or "none". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the text behind the cycle */
static const char *const instructions[] = {
    "(PC: 0x1000) SCALAR   : (Binary: 0x07000001) MOV_XD_IMM  XD:X1=0x40,IMM:0x40,",
    "(PC: 0x1004) MTE2     : (Binary: 0x62000001) MOV_ALIGN  Src:OUT,Dst:UB,",
    "(PC: 0x1008) MTE2     : (Binary: 0x40c01420) SET_FLAG  PIPE:MTE2, "
    "TRIGGER PIPE:VEC, FLAG ID:0,",
    "(PC: 0x100c) VECTOR   : (Binary: 0x40c01421) WAIT_FLAG  PIPE:MTE2, "
    "TRIGGER PIPE:VEC, FLAG ID:0,",
    "(PC: 0x1010) VECTOR   : (Binary: 0x80000001) VADD  dtype:F16,",
};
enum { INSTRUCTIONS = sizeof(instructions) / sizeof(instructions[0]) };
static const char cache[] =
    "[info] 1050: icache read address is 0x1000, size is 0x00000080, type:1, last:0, "
    "status is MISS\n"
    "[info] 1070: lookup_tag is fetch req addr:0x1000\n";
static const char unit[] = "[info] 1075: is_single_issue instr, pc:0x1000\n"
                           "[info] 1090: ccu do issue success.issue isa pc :0x1004\n";
static const char transfers[] = "[info] 1110: <mte.UBWIF> instr_id: 0, req_id: 0, "
                                "size: 768.\n"
                                "[info] 1300: <mte.BRIF> instr_id: 0, req_id: 0, "
                                "size: 512.\n"
                                "[info] 1400: <mte.BRIF> instr_id: 0, req_id: 1, "
                                "size: 256.\n"
                                "[info] 1700: <mte.UBRIF> instr_id: 1, req_id: 0, "
                                "size: 128.\n"
                                "[info] 1800: <mte.BWIF> instr_id: 1, req_id: 0, "
                                "size: 128.\n";

static FILE *open_log(const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", getenv("CAMODEL_LOG_PATH"), name);
    file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(9);
    }
    return file;
}

static void write_log(const char *name, const char *text)
{
    FILE *file = open_log(name);

    fputs(text, file);
    fclose(file);
}

/* Writes a line for each instruction, with its cycle. */
static void write_instructions(const char *name, const unsigned *cycles)
{
    FILE *file = open_log(name);

    for (int i = 0; i < INSTRUCTIONS; i++)
        fprintf(file, "[info] [%08u] %s\n", cycles[i], instructions[i]);
    fclose(file);
}

/* Returns true when the variable has the value that the vendor's tool sets. */
static int is_set(const char *name, const char *value)
{
    return getenv(name) && strcmp(getenv(name), value) == 0;
}

__attribute__((constructor)) static void simulate(void)
{
    static const unsigned ends[2][INSTRUCTIONS] = {{1100, 1500, 1510, 1520, 1900},
                                                   {1200, 1600, 1610, 1620, 2100}};
    static const unsigned starts[2][INSTRUCTIONS] = {{1080, 1100, 1500, 1100, 1520},
                                                     {1180, 1200, 1600, 1200, 1620}};
    const char *logs = getenv("CAMODEL_SAMPLE");
    FILE *names;

    if (!logs || strcmp(logs, "none") == 0 || !getenv("CAMODEL_LOG_PATH") ||
        !getenv("CAMODEL_SOC_VERSION") || !is_set("IS_SIMULATOR_ENV", "true") ||
        !is_set("GE_INIT_DISABLE", "1"))
        return;
    names = open_log("object_dump.txt");
    fprintf(names, "/dump/%s\nadd_custom_2\n", getenv("CAMODEL_SOC_VERSION"));
    fclose(names);
    for (int core = 0; core < 2; core++) {
        char name[64];

        snprintf(name, sizeof(name), "core%d.veccore0.instr_log.dump", core);
        write_instructions(name, ends[core]);
        snprintf(name, sizeof(name), "core%d.veccore0.instr_popped_log.dump", core);
        write_instructions(name, starts[core]);
    }
    if (strcmp(logs, "few") == 0)
        return;
    write_log("core0.veccore0.icache_log.dump", cache);
    write_log("core0.veccore0.ccu_log.dump", unit);
    write_log("core0.mte_log.dump", transfers);
}
