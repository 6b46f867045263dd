import { type Job, runJob } from './jobs.ts';

/** The load generator's own process: runs the jobs that come, also several at a time, and reports each. */
process.on('message', ({ id, job }: { id: number; job: Job }) => {
  void runJob(job).then((result) => process.send?.({ id, result }));
});
process.on('disconnect', () => process.exit(0));
