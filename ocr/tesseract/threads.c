// Tesseract opens an OpenMP region for each step along a line. With one thread, as a child
// has (OMP_THREAD_LIMIT), GCC's libgomp still makes system calls in each, to wake the other
// threads of the team: a sixth of the time of a page. The program's own functions are found
// before the library's, so these run a region's sections one after the other, as one thread
// would. Names and parameters are libgomp's ABI.

typedef void work(void *);

// Of the region that runs: its next section, from 1, and how many it has.
static _Thread_local unsigned next_section, sections;

void GOMP_parallel(work *run, void *data, unsigned threads, unsigned flags) {
	run(data);
}

void GOMP_parallel_sections(work *run, void *data, unsigned threads, unsigned count, unsigned flags) {
	unsigned outer_next = next_section, outer_sections = sections;
	next_section = 1;
	sections = count;
	run(data);
	next_section = outer_next;
	sections = outer_sections;
}

unsigned GOMP_sections_next(void) { return next_section <= sections ? next_section++ : 0; }
void GOMP_sections_end_nowait(void) {}

int omp_get_num_threads(void) { return 1; }
int omp_get_thread_num(void) { return 0; }
