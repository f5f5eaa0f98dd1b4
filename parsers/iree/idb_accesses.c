#include "parsers/iree/idb_accesses.h"

#include <stdlib.h>

#include "lib/base/mem.h"

enum {
    STRIDES_MAX = 1 << 18,
    WORKGROUPS = 4096, /* that run at the same time; a power of two */
    WORKGROUP_ALIGNMENT = 16,
    PAGE_LINES = 512,
    PAGES_MAX = 1 << 17,
    STORES_LEAST = 4096,
    STORES_MAX = 1 << 20,
    NEAR_BYTES = 256, /* stores to such a stretch lie together in the table */
    STORE_BYTES = 16, /* usual distance of stores */
    WAITING_MAX = 32, /* stores whose entries the processor fetches at the same time */
    CONFLICTS_MAX = 1 << 16,
};

/* A workgroup whose accesses may follow. */
struct idb_workgroup {
    uint64_t owner; /* offset in the ring + 1; 0: none */
    uint32_t id, iteration;
    uint64_t last[2]; /* address of the latest load and store */
    bool has_last[2];
};

/* The latest store to an address. */
struct idb_store {
    uint64_t address;
    uint32_t site, id;
    uint32_t iteration; /* 0: the entry is free */
};

/* The lines of a site in a stretch of memory: a bit for each. */
struct idb_page {
    uint64_t number;
    uint64_t bits[PAGE_LINES / 64];
};

void idb_accesses_init(struct idb_accesses *accesses)
{
    *accesses = (struct idb_accesses){
        .strides = {.row_bytes = sizeof(struct idb_strides), .most = STRIDES_MAX},
        .pages = {.row_bytes = sizeof(struct idb_page), .most = PAGES_MAX},
        .conflicts = {.row_bytes = sizeof(struct idb_conflicts), .most = CONFLICTS_MAX},
    };
}

void idb_accesses_clear(struct idb_accesses *accesses)
{
    key_table_clear(&accesses->strides);
    key_table_clear(&accesses->pages);
    key_table_clear(&accesses->conflicts);
    free(accesses->workgroups);
    free(accesses->stores);
    free(accesses->waiting);
    idb_accesses_init(accesses);
}

static struct idb_workgroup *slot_of(struct idb_accesses *accesses, uint64_t owner)
{
    return &accesses->workgroups[owner / WORKGROUP_ALIGNMENT % WORKGROUPS];
}

void idb_accesses_begin(struct idb_accesses *accesses,
                        const struct idb_record *workgroup,
                        uint32_t id,
                        uint32_t iteration)
{
    if (!accesses->workgroups) {
        accesses->workgroups = xcalloc(WORKGROUPS, sizeof(*accesses->workgroups));
        accesses->waiting = xcalloc(WAITING_MAX, sizeof(*accesses->waiting));
    }
    *slot_of(accesses, workgroup->owner) = (struct idb_workgroup){
        .owner = workgroup->owner + 1, .id = id, .iteration = iteration};
}

/* Returns the page of a line, or NULL when the table is full. */
static struct idb_page *find_page(struct idb_accesses *accesses,
                                  struct idb_access_sums *sums,
                                  uint32_t site,
                                  uint64_t number)
{
    struct idb_page *pages = accesses->pages.rows, *page;

    if (sums->page && pages[sums->page - 1].number == number)
        return &pages[sums->page - 1];
    page = key_table_put(&accesses->pages, site, number);
    if (!page)
        return NULL;
    page->number = number;
    sums->page = (uint32_t)(page - (struct idb_page *)accesses->pages.rows) + 1;
    return page;
}

static void add_lines(struct idb_accesses *accesses,
                      struct idb_access_sums *sums,
                      const struct idb_record *access)
{
    uint64_t line = access->address / IDB_LINE_BYTES;
    uint64_t last = (access->address + access->bytes - 1) / IDB_LINE_BYTES;

    if (last < line) /* beyond the last address */
        last = line;
    for (; line <= last; line++) {
        struct idb_page *page =
            find_page(accesses, sums, access->site, line / PAGE_LINES);
        uint64_t bit = UINT64_C(1) << line % 64, *bits;

        if (!page) {
            sums->has_no_lines = true;
            return;
        }
        bits = &page->bits[line % PAGE_LINES / 64];
        sums->lines += !(*bits & bit);
        *bits |= bit;
    }
}

/* Strides of a class have the same sign and the same highest bit. */
static unsigned class_of(int64_t stride)
{
    uint64_t size = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;

    if (size == 0)
        return 0;
    return (64 - (unsigned)__builtin_clzll(size)) << 1 | (stride < 0);
}

static void add_stride(struct idb_accesses *accesses,
                       struct idb_access_sums *sums,
                       const struct idb_record *access,
                       int64_t stride)
{
    const unsigned is_store = access->kind == IDB_STORE;
    uint32_t *latest = &sums->strides[is_store];
    struct idb_strides *rows = accesses->strides.rows;
    struct idb_strides *row = *latest ? &rows[*latest - 1] : NULL;

    if (!row || class_of(row->min) != class_of(stride)) {
        row = key_table_put(&accesses->strides, access->site,
                            class_of(stride) << 1 | is_store);
        if (!row) {
            accesses->uncounted++;
            return;
        }
        *latest = (uint32_t)(row - (struct idb_strides *)accesses->strides.rows) + 1;
    }
    if (row->count++ == 0) {
        row->site = access->site;
        row->kind = access->kind;
        row->min = row->max = stride;
    }
    row->min = stride < row->min ? stride : row->min;
    row->max = stride > row->max ? stride : row->max;
}

static uint64_t hash(uint32_t site, uint64_t number)
{
    uint64_t value = (number ^ (uint64_t)site << 40) * 0x9e3779b97f4a7c15u;

    return value ^ value >> 32;
}

/* Returns the first entry that an address of the site may have. */
static uint64_t
entry_of(const struct idb_accesses *accesses, uint32_t site, uint64_t address)
{
    return (hash(site, address / NEAR_BYTES) + address % NEAR_BYTES / STORE_BYTES) &
           (accesses->store_room - 1);
}

/* Returns the entry of an address of the site, or the free one where it belongs. */
static struct idb_store *
find_store(const struct idb_accesses *accesses, uint32_t site, uint64_t address)
{
    uint64_t at = entry_of(accesses, site, address);
    struct idb_store *store = &accesses->stores[at];

    while (store->iteration && (store->address != address || store->site != site)) {
        at = (at + 1) & (accesses->store_room - 1);
        store = &accesses->stores[at];
    }
    return store;
}

/* Keeps a quarter of the table free. Returns false when it is full. */
static bool make_room_for_store(struct idb_accesses *accesses)
{
    struct idb_store *old = accesses->stores;
    uint64_t room = accesses->store_room;

    if (accesses->store_count < room / 4 * 3)
        return true;
    if (room == STORES_MAX)
        return false;
    accesses->store_room = room ? 4 * room : STORES_LEAST;
    accesses->stores = xcalloc(accesses->store_room, sizeof(*accesses->stores));
    for (uint64_t i = 0; i < room; i++)
        if (old[i].iteration)
            *find_store(accesses, old[i].site, old[i].address) = old[i];
    free(old);
    return true;
}

/* Returns the row of the site, or NULL when there are too many. */
static struct idb_conflicts *conflicts_of(struct idb_accesses *accesses, uint32_t site)
{
    return key_table_put(&accesses->conflicts, site, 0);
}

static void add_conflict(struct idb_accesses *accesses, const struct idb_store *store)
{
    struct idb_conflicts *row = conflicts_of(accesses, store->site);

    if (row && row->count++ == 0)
        row->address = store->address;
}

static void mark_unknown(struct idb_accesses *accesses, uint32_t site)
{
    struct idb_conflicts *row = conflicts_of(accesses, site);

    if (row)
        row->is_unknown = true;
}

static void put_store(struct idb_accesses *accesses, const struct idb_store *is)
{
    bool has_room = make_room_for_store(accesses);
    struct idb_store *store = find_store(accesses, is->site, is->address);

    if (!has_room && !store->iteration) {
        mark_unknown(accesses, is->site);
        return;
    }
    if (store->iteration == is->iteration && store->id != is->id)
        add_conflict(accesses, is);
    accesses->store_count += !store->iteration;
    *store = *is;
}

void idb_accesses_finish(struct idb_accesses *accesses)
{
    for (size_t i = 0; i < accesses->waiting_count; i++)
        put_store(accesses, &accesses->waiting[i]);
    accesses->waiting_count = 0;
}

/* An entry is hardly ever in the cache of the processor. Stores wait until the entries
 * of several are there. */
static void add_store(struct idb_accesses *accesses,
                      const struct idb_workgroup *workgroup,
                      const struct idb_record *access)
{
    if (!workgroup->iteration) {
        mark_unknown(accesses, access->site);
        return;
    }
    if (accesses->store_room)
        __builtin_prefetch(
            &accesses->stores[entry_of(accesses, access->site, access->address)], 1);
    accesses->waiting[accesses->waiting_count++] = (struct idb_store){
        access->address, access->site, workgroup->id, workgroup->iteration};
    if (accesses->waiting_count == WAITING_MAX)
        idb_accesses_finish(accesses);
}

/* Returns true when the workgroup has just stored to the same address. */
static bool is_repeated(const struct idb_workgroup *workgroup,
                        const struct idb_record *access)
{
    return workgroup->has_last[1] && workgroup->last[1] == access->address;
}

void idb_accesses_add(struct idb_accesses *accesses,
                      struct idb_access_sums *sums,
                      const struct idb_record *access)
{
    const unsigned is_store = access->kind == IDB_STORE;
    struct idb_workgroup *workgroup =
        accesses->workgroups ? slot_of(accesses, access->owner) : NULL;

    add_lines(accesses, sums, access);
    if (!workgroup || workgroup->owner != access->owner + 1) {
        if (is_store) /* another workgroup took its place */
            mark_unknown(accesses, access->site);
        return;
    }
    if (is_store && !is_repeated(workgroup, access))
        add_store(accesses, workgroup, access);
    if (workgroup->has_last[is_store])
        add_stride(accesses, sums, access,
                   (int64_t)(access->address - workgroup->last[is_store]));
    workgroup->last[is_store] = access->address;
    workgroup->has_last[is_store] = true;
}

const struct idb_conflicts *idb_accesses_conflicts(const struct idb_accesses *accesses,
                                                   uint32_t site)
{
    return key_table_get(&accesses->conflicts, site, 0);
}

const struct idb_strides *idb_accesses_strides(const struct idb_accesses *accesses,
                                               size_t index)
{
    return key_table_at(&accesses->strides, index);
}
