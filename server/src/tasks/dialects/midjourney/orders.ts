import type { TaskMode } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { type Json, textOr } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask, taskNotFound } from '#tasks/task-refusal.ts';
import { findOwnTask, type TaskRow } from '#tasks/task-rows.ts';
import { actionOfButton, buttonFor, type GridChange, modelOf, readChange, readSimpleChange } from './actions.ts';

type ReadOrder = (deps: Deps, caller: Caller, body: Json, mode: TaskMode) => OrderedTask | Promise<OrderedTask>;

/** Submissions by the last part of their path. */
export const orders: Readonly<Record<string, ReadOrder>> = {
  imagine: simple('imagine', 'IMAGINE', true),
  blend: simple('blend', 'BLEND'),
  describe: simple('describe', 'DESCRIBE'),
  shorten: simple('shorten', 'SHORTEN', true),
  edit: simple('edit', 'EDIT', true),
  edits: simple('edits', 'EDIT', true),
  retexture: simple('retexture', 'RETEXTURE', true),
  video: orderVideo,
  'upload-discord-images': simple('upload-discord-images', 'UPLOAD'),
  swap: simple('swap', 'SWAP_FACE'),
  action: orderAction,
  change: async (deps, caller, body) =>
    orderChange(await finishedParent(deps, caller, body['taskId']), readChange(body['action'], body['index']), body),
  'simple-change': async (deps, caller, body) => {
    const { taskId, ...change } = readSimpleChange(body['content']);
    const { content: _, ...rest } = body;
    return orderChange(await finishedParent(deps, caller, taskId), change, rest);
  },
  modal: orderModal,
};

const LONGEST_PROMPT = 8000;
const LONGEST_STATE = 1000;
const LONGEST_HOOK = 2000;

/** Fields that every submission has. */
const common = (body: Json) => ({
  prompt: textOr(body['prompt'], '').slice(0, LONGEST_PROMPT),
  state: textOr(body['state'], '').slice(0, LONGEST_STATE),
  notifyHook: textOr(body['notifyHook'], '').slice(0, LONGEST_HOOK),
});

function simple(kind: string, action: string, needsPrompt = false): ReadOrder {
  return (_, __, body, mode) => {
    if (needsPrompt && textOr(body['prompt'], '').trim() === '') throw invalidTask('The prompt is missing.');
    const { taskId: ___, ...rest } = body;
    const order = { kind, action, body: rest, ...common(body) };
    const ordered: OrderedTask = { ...order, mode, model: modelOf(mode, action) };
    // As the product line does: without a free fast account, a slow one.
    if (mode === 'fast') ordered.otherwise = { ...order, mode: 'relax', model: modelOf('relax', action) };
    return ordered;
  };
}

const batchSizes: readonly unknown[] = [undefined, null, 1, 2, 4];
const videoTypes: readonly unknown[] = [undefined, null, '', 'vid_1.1_i2v_480', 'vid_1.1_i2v_720'];

/** Both decide about the price. */
async function orderVideo(deps: Deps, caller: Caller, body: Json, mode: TaskMode): Promise<OrderedTask> {
  if (!batchSizes.includes(body['batchSize'])) throw invalidTask('The batchSize must be 1, 2 or 4.', 'batchSize');
  if (!videoTypes.includes(body['videoType']))
    throw invalidTask('The videoType must be vid_1.1_i2v_480 or vid_1.1_i2v_720.', 'videoType');
  if (body['action'] === undefined) return simple('video', 'VIDEO', true)(deps, caller, body, mode);
  return followUp(await finishedParent(deps, caller, body['taskId']), { kind: 'video', action: 'VIDEO', body });
}

async function orderAction(deps: Deps, caller: Caller, body: Json): Promise<OrderedTask> {
  const parent = await finishedParent(deps, caller, body['taskId']);
  const customId = textOr(body['customId'], '');
  const button = actionOfButton(customId);
  // Rerolling repeats the action of the original.
  const action = button === 'REROLL' && parent.action === 'DESCRIBE' ? 'DESCRIBE' : button;
  return followUp(parent, { kind: 'action', action, body });
}

/** Newer upstreams know buttons only; an older one that shows none knows changes. */
function orderChange(parent: TaskRow, change: GridChange, body: Json): OrderedTask {
  const { action: _, index: __, ...rest } = body;
  const customId = buttonFor(parent, change);
  const { action, index } = change;
  return customId === undefined
    ? followUp(parent, { kind: 'change', action, body: { ...rest, action, ...(index > 0 && { index }) } })
    : followUp(parent, { kind: 'action', action, body: { ...rest, customId } });
}

async function orderModal(deps: Deps, caller: Caller, body: Json): Promise<OrderedTask> {
  const parent = await ownParent(deps, caller, body['taskId']);
  if (parent.status !== 'MODAL') throw invalidTask('The task does not wait for a confirmation.');
  return { ...followUp(parent, { kind: 'modal', action: 'MODAL', body }), confirms: true };
}

/** In the mode of the original task, at its channel. */
function followUp(parent: TaskRow, { kind, action, body }: { kind: string; action: string; body: Json }): OrderedTask {
  const mode = parent.mode === '' ? 'fast' : parent.mode;
  return { kind, action, body, ...common(body), mode, model: modelOf(mode, action), parent };
}

async function finishedParent(deps: Deps, caller: Caller, taskId: unknown): Promise<TaskRow> {
  const parent = await ownParent(deps, caller, taskId);
  if (parent.status !== 'SUCCESS') throw invalidTask('The original task has not finished successfully.');
  return parent;
}

/** Throws a 404 for a task of another user, as for one that does not exist. */
async function ownParent({ db, book }: Deps, { userId }: Caller, taskId: unknown): Promise<TaskRow> {
  const id = typeof taskId === 'number' ? String(taskId) : textOr(taskId, '');
  if (id === '') throw invalidTask('The taskId is missing.');
  await book.caughtUp();
  const parent = await findOwnTask(db, userId, 'midjourney', id);
  if (!parent) throw taskNotFound();
  return parent;
}
