import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from 'pino';

/** A name that cannot be looked up, which is also what a look-up without a file descriptor comes to. */
const lookupFailures = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_SYSTEM', 'EAI_FAIL']);

/** Whether an error, or what caused it, says that this process or machine has no file descriptors left. */
export function isOutOfFiles(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const { code, errors } = cause as NodeJS.ErrnoException & { errors?: unknown };
    if (isShortage(code)) return true;
    if (code !== undefined && lookupFailures.has(code) && noneLeft()) return true;
    if (Array.isArray(errors) && errors.some((one) => isShortage((one as NodeJS.ErrnoException | undefined)?.code)))
      return true;
  }
  return false;
}

const isShortage = (code: string | undefined): boolean => code === 'EMFILE' || code === 'ENFILE';

function noneLeft(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    return isShortage((error as NodeJS.ErrnoException).code);
  }
}

/** How many file descriptors this process may have; undefined where the system does not tell. */
export function openFilesLimit(): number | undefined {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Where the lack was noticed: a connection, a call, a request of the management API. */
type Where = 'accept' | 'call' | 'api';

/** Between two lines of the process log. */
const QUIET_MS = 10_000;

/** Tells of a lack of file descriptors: in the process log, now and then, and as counts for the metrics. */
export class OutOfFiles {
  readonly counts = new Map<Where, number>();
  readonly #log: Pick<Logger, 'error'>;
  #toldAt = -Infinity;

  constructor(log: Pick<Logger, 'error'>) {
    this.#log = log;
  }

  note(where: Where): void {
    this.counts.set(where, (this.counts.get(where) ?? 0) + 1);
    const now = performance.now();
    if (now - this.#toldAt < QUIET_MS) return;
    this.#toldAt = now;
    const hint = 'Raise the limit of open files (ulimit -n), or lower MAX_CONNECTIONS.';
    this.#log.error({ where, limit: openFilesLimit(), hint }, 'no file descriptors left');
  }
}
