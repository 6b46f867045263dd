import { isFinalTask, type Task, taskApi } from '@relay-hub/contract';
import { call } from '#api/call.ts';
import type { Delta } from './delta.ts';

const EVERY_MS = 2_500;
/** Consecutive failures to ask, after which the task is followed in its list only. */
const MOST_FAILURES = 20;

export interface TaskState {
  record: Task;
  /** Results, or the reason of a failure. */
  deltas: Delta[];
}

/** The states of an own task until it ends. Rejects when stopped, and when the server does not answer for a minute. */
export async function* followTask(taskId: string, signal: AbortSignal): AsyncGenerator<TaskState> {
  for (let failures = 0; failures < MOST_FAILURES;) {
    await pause(signal);
    const record = await recordOf(taskId);
    failures = record ? 0 : failures + 1;
    if (!record) continue;
    const ended = isFinalTask(record.status);
    yield { record, deltas: ended ? resultOf(record) : [] };
    if (ended) return;
  }
  throw new Error('the task could not be read');
}

async function recordOf(task_id: string): Promise<Task | undefined> {
  try {
    const { data } = await call(taskApi.ownList, { query: { task_id } });
    return data[0];
  } catch {
    return undefined; // asked again
  }
}

function resultOf({ status, fail_reason: message, media }: Task): Delta[] {
  if (status !== 'SUCCESS') return [{ error: { status: 0, code: 'task_failed', message } }];
  return media.map(({ kind, url }) => ({ media: `${url}#${kind}` }));
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException('stopped', 'AbortError'));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, EVERY_MS);
  });
