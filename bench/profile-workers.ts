import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Worker, WorkerOptions } from 'node:worker_threads';

/** Preloaded into a profiled program: its workers start without flags and would not be profiled otherwise. */
const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker };

threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    const flags = ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${process.env['BENCH_PROFILES']}`];
    super(file, { ...options, execArgv: [...(options.execArgv ?? []), ...flags] });
  }
};
syncBuiltinESMExports();
