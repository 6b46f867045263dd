import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Whether resource usage of a process can be read on this system. */
export const measurable = process.platform === 'linux';

const ticksPerSecond = measurable ? Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100 : 100;

/** CPU time of all threads of a process since its start, in µs; undefined if unavailable. */
export function cpuOf(pid: number): number | undefined {
  return measurable ? cpuIn(`/proc/${pid}/stat`).us : undefined;
}

/** CPU time by thread. Node names its own threads; `main` and `thread n` run JavaScript. */
export function cpuByThread(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const { name, us } = cpuIn(`/proc/${pid}/task/${id}/stat`);
    const called = Number(id) === pid ? 'main thread' : name;
    threads.set(called, (threads.get(called) ?? 0) + us);
  }
  return threads;
}

function cpuIn(file: string): { name: string; us: number } {
  const text = readFileSync(file, 'latin1');
  const end = text.lastIndexOf(')'); // the name before it may contain anything
  const fields = text.slice(end + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]); // utime and stime
  return { name: text.slice(text.indexOf('(') + 1, end), us: (ticks / ticksPerSecond) * 1e6 };
}

/** Resident memory in MB; undefined if unavailable. */
export function memoryOf(pid: number): number | undefined {
  if (!measurable) return undefined;
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return kib === undefined ? undefined : (Number(kib) * 1024) / 1e6;
}

/** Maximum number of open files and connections of a process; undefined if unavailable. */
export function openFilesAllowed(): number | undefined {
  if (!measurable) return undefined;
  // Node raises its soft limit, and that of its children, to the hard limit in the second column.
  const hard = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
  return hard === undefined ? undefined : Number(hard);
}
