import type { IncomingMessage } from 'node:http';
import type { TaskMedia } from '@relay-hub/contract';
import { signedPath } from '#http/signed-path.ts';
import { siteAddress } from '#http/site-address.ts';
import type { Deps } from '#deps.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { openMedia, sendOpened } from './send-file.ts';
import { filesOf, type TaskWithFiles } from './task-files.ts';

/** Path of a result file, which its signature opens without a key. */
const mediaPath = (taskId: string, index: number): string => `/media/${taskId}/${index}`;

/** The same for the preview of a file. */
const coverPath = (taskId: string, index: number): string => `/media/${taskId}/${index}/cover`;

/**
 * Sends a result file of a task, or the part that the Range header asks for, from the store or from the vendor. The
 * caller has checked that the requester may see the task. Throws 404, 410 and 502 as `RelayError`.
 */
export async function sendMedia(context: HttpContext, task: TaskRow, index: number): Promise<void> {
  const abortable = { index: 0, abort: () => void context.response.destroy() };
  context.shutdown.openExchanges.add(abortable);
  try {
    await sendOpened(context, task, await openMedia(context, task, { index, isCover: false }));
  } finally {
    context.shutdown.openExchanges.delete(abortable);
  }
}

export type LinkDeps = Pick<Deps, 'config' | 'live' | 'now'>;

/** Where links are made: for a request, or for a notification, which has none. */
export interface LinkContext {
  deps: LinkDeps;
  request?: IncomingMessage;
}

/** The absolute, signed address of a result file at this server; empty: the task has no such file. */
export const mediaAddress = (context: LinkContext, task: TaskRow, index: number): string =>
  filesOf(task)[index]
    ? siteAddress(context.deps, context.request) + signedMedia(context.deps, mediaPath(task.task_id, index))
    : '';

/** As `signedMedia`, from the root of this server's domain. */
export const ownMedia = (deps: LinkDeps, path: string): string => deps.config.basePath + signedMedia(deps, path);

/** A path with a signature that is valid for as long as the settings say. */
export const signedMedia = ({ config, live, now }: LinkDeps, path: string): string =>
  signedPath(config.secretKey, path, now(), live.settings.TaskMediaLinkHours * 3600);

/** The files of a task for its record: with signed paths of this server. */
export const mediaRecords = (deps: LinkDeps, task: TaskWithFiles & Pick<TaskRow, 'task_id'>): TaskMedia[] =>
  filesOf(task).map(({ kind, cover, title, stored }, index) => ({
    kind,
    url: ownMedia(deps, mediaPath(task.task_id, index)),
    cover: cover === '' ? '' : ownMedia(deps, coverPath(task.task_id, index)),
    title,
    stored: stored !== '',
  }));

/** A vendor's document with the addresses of this server in place of the vendor's. `site`: before each path. */
export function withOwnAddresses(
  deps: LinkDeps,
  task: TaskWithFiles & Pick<TaskRow, 'task_id'>,
  { value, site }: { value: unknown; site: string },
): unknown {
  const own = new Map<string, string>();
  for (const [index, { url, cover }] of filesOf(task).entries()) {
    if (cover !== '') own.set(cover, site + signedMedia(deps, coverPath(task.task_id, index)));
    if (url !== '') own.set(url, site + signedMedia(deps, mediaPath(task.task_id, index)));
  }
  const replaced = (part: unknown): unknown => {
    if (typeof part === 'string') return own.get(part) ?? part;
    if (Array.isArray(part)) return part.map(replaced);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, replaced(member)]));
  };
  return replaced(value);
}
