import type { TaskMode } from '@relay-hub/contract';
import { invalidTask } from '#tasks/task-refusal.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

/** The model by which an action finds its channel and price. */
export const modelOf = (mode: TaskMode, action: string): string =>
  `mj_${mode === 'fast' ? '' : `${mode}_`}${action.toLowerCase()}`;

const actionsById: readonly [RegExp, string][] = [
  [/^MJ::JOB::upsample_|^MJ::JOB::upsample::|^MJ::JOB::video_virtual_upscale::/i, 'UPSCALE'],
  [/^MJ::JOB::low_variation/i, 'LOW_VARIATION'],
  [/^MJ::JOB::high_variation/i, 'HIGH_VARIATION'],
  [/^MJ::JOB::variation/i, 'VARIATION'],
  [/^MJ::JOB::pan_/i, 'PAN'],
  [/reroll|^MJ::Picread::Retry/i, 'REROLL'],
  [/^MJ::CustomZoom/i, 'CUSTOM_ZOOM'],
  [/^MJ::Outpaint/i, 'ZOOM'],
  [/^MJ::Inpaint/i, 'INPAINT'],
  [/^MJ::JOB::(?:animate|video)/i, 'VIDEO'],
  [/^MJ::Job::PicReader/i, 'IMAGINE'],
];

/** The action of a button. Throws a 400 for one that is not known, because it has no price. */
export function actionOfButton(customId: string): string {
  const action = actionsById.find(([shape]) => shape.test(customId))?.[1];
  if (action === undefined) throw invalidTask('The customId is not one of a known action.');
  return action;
}

const changes: Readonly<Record<string, (index: number) => string>> = {
  UPSCALE: (index) => `MJ::JOB::upsample::${index}::`,
  VARIATION: (index) => `MJ::JOB::variation::${index}::`,
  REROLL: () => 'MJ::JOB::reroll::',
};

/** A change of a grid: which action, and of which picture; 0: of all. */
export interface GridChange {
  action: string;
  index: number;
}

/** Reads `action` and `index`. Throws a 400 for other values. */
export function readChange(action: unknown, index: unknown): GridChange {
  const name = typeof action === 'string' ? action.toUpperCase() : '';
  if (!Object.hasOwn(changes, name)) throw invalidTask('The action must be UPSCALE, VARIATION or REROLL.');
  if (name === 'REROLL') return { action: name, index: 0 };
  const number = Number(index);
  if (!Number.isInteger(number) || number < 1 || number > 4) throw invalidTask('The index must be from 1 to 4.');
  return { action: name, index: number };
}

const shortNames: Readonly<Record<string, string>> = { U: 'UPSCALE', V: 'VARIATION', R: 'REROLL' };

/** Reads `<task id> U2`, `<task id> V1` or `<task id> R`. Throws a 400 for anything else. */
export function readSimpleChange(content: unknown): GridChange & { taskId: string } {
  const [, taskId, letter = '', index] =
    /^\s*(\S+)\s+(?:([uv])([1-4])|r)\s*$/i.exec(typeof content === 'string' ? content : '') ?? [];
  if (taskId === undefined) throw invalidTask('The content must be a task id followed by U1 to U4, V1 to V4, or R.');
  return { taskId, action: shortNames[letter.toUpperCase() || 'R'] ?? 'REROLL', index: index ? Number(index) : 0 };
}

/** The button of the original task that does the same. Undefined: it offers none. */
export const buttonFor = ({ buttons }: Pick<TaskRow, 'buttons'>, { action, index }: GridChange): string | undefined => {
  const start = changes[action]?.(index);
  return start === undefined ? undefined : buttons.find(({ customId }) => customId.startsWith(start))?.customId;
};
