// Tesseract shares the work of each step along a line among threads of OpenMP. A child
// has one thread, where that costs six calls of the system a step, to wake nobody. As the
// program's own functions are found before those of the library, which are GCC's ABI
// (libgomp.h), sections are run in turn as they would be by one thread.

typedef void work(void *);

// Sections of the region that is run: the next one, from 1, and how many there are.
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
