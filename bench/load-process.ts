import { type Job, runJob } from './jobs.ts';

/** Process of the load generator: runs the jobs it receives, concurrently if needed, and reports each result. */
process.on('message', ({ id, job }: { id: number; job: Job }) => {
  void runJob(job).then((result) => process.send?.({ id, result }));
});
process.on('disconnect', () => process.exit(0));
