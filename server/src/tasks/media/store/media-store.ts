import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Deps } from '#deps.ts';
import type { StoredTaskMedia } from '#db/tables/tasks.ts';
import { extensionOf } from '../media-type.ts';
import { mediaFolder, openOnDisk, type OpenedFile, putOnDisk } from './disk-store.ts';
import { openInBucket, putInBucket } from './s3-store.ts';
import type { SpooledFile } from './spool-file.ts';

export type StoreDeps = Pick<Deps, 'config' | 'live' | 'log' | 'upstreams'>;

/** Names as `putFile` makes them: nothing else is opened. */
const storedName = /^(disk|s3):(\d{4}-\d{2}\/[\w-]+\.\w+)$/;

/** A new name in a store. It contains the task's id, and cannot be guessed from other names. */
const newName = (taskId: string, index: number, type: string): string =>
  `${new Date().toISOString().slice(0, 7)}/${taskId}-${index}-${randomBytes(4).toString('hex')}.${extensionOf(type)}`;

/** Moves a spooled file into a store; its name there, for `openStored`. The spooled file is gone in any case. */
export async function putFile(
  deps: StoreDeps,
  place: 'disk' | 's3',
  { taskId, index }: { taskId: string; index: number },
  file: SpooledFile,
): Promise<string> {
  const name = newName(taskId, index, file.type);
  try {
    if (place === 'disk') await putOnDisk(mediaFolder(deps.config), name, file);
    else await putInBucket(deps, name, file);
  } finally {
    await rm(file.path, { force: true });
  }
  return `${place}:${name}`;
}

/**
 * Opens a file of a store, whatever store is in use now. Undefined: it is not there (any more), or the store does not
 * answer.
 */
export async function openStored(
  deps: StoreDeps,
  { stored, type, bytes }: StoredTaskMedia,
  request: { range: string; signal?: AbortSignal | undefined },
): Promise<OpenedFile | undefined> {
  const [, place, name = ''] = storedName.exec(stored) ?? [];
  if (place === 'disk') return openOnDisk(mediaFolder(deps.config), { name, type }, request.range);
  if (place !== 's3' || deps.live.settings.TaskMediaS3Endpoint === '') return undefined;
  try {
    return await openInBucket(deps, { name, type, bytes }, request);
  } catch (error) {
    deps.log.warn({ reason: error instanceof Error ? error.message : '' }, 'a stored result file could not be opened');
    return undefined;
  }
}
