import { tokenApi, type Task } from '@relay-hub/contract';
import { atBase } from '#base-path.ts';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';

/**
 * Sends a request of a task's owner as their own client would, with the key of the task's token, so that it is checked
 * and charged like any call. Returns the dialect's `result`. Throws `ApiError` with the hub's reason.
 */
async function callRelay(task: Task, path: string, body?: object): Promise<unknown> {
  const { key } = await call(tokenApi.reveal, { params: { id: task.token_id } });
  const response = await fetch(atBase(path), {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  // Another answer than JSON counts as one without a reason.
  const reply = (await response.json().catch(() => ({}))) as { result?: unknown; description?: unknown };
  if (response.ok) return reply.result;
  const reason = typeof reply.description === 'string' ? reply.description : response.statusText;
  throw new ApiError({ status: response.status, code: '', message: reason });
}

/** Submits a follow-up of an image task; returns the id of the new task. */
export const sendFollowUp = async (task: Task, customId: string): Promise<string> =>
  String(await callRelay(task, '/mj/submit/action', { taskId: task.task_id, customId }));

export const fetchSeed = async (task: Task): Promise<string> =>
  String(await callRelay(task, `/mj/task/${encodeURIComponent(task.task_id)}/image-seed`));
