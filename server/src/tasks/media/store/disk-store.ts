import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Deps } from '#deps.ts';
import { type ByteRange, rangeWithin } from '../byte-range.ts';
import type { SpooledFile } from './spool-file.ts';

/** The folder of stored result files. Several nodes may share it. */
export const mediaFolder = ({ dataDir }: Pick<Deps['config'], 'dataDir'>): string => path.join(dataDir, 'media');

/** Files on their way into a store; not served. */
export const incomingFolder = (config: Pick<Deps['config'], 'dataDir'>): string =>
  path.join(mediaFolder(config), 'incoming');

/** An open result file. */
export interface OpenedFile {
  status: 200 | 206 | 416;
  /** Bytes of the whole file; undefined: not known. */
  size: number | undefined;
  /** The part that is sent, with status 206. */
  range?: ByteRange | undefined;
  type: string;
  /** Undefined with status 416. */
  body: Readable | undefined;
}

/** Files that requests are reading, by path: they are not removed meanwhile. */
const reading = new Map<string, number>();

/** Moves a complete file to its place, in one step. */
export async function putOnDisk(folder: string, name: string, { path: from }: SpooledFile): Promise<void> {
  const target = path.join(folder, name);
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  await rename(from, target);
}

/** Undefined: this node has no such file. */
export async function openOnDisk(
  folder: string,
  { name, type }: { name: string; type: string },
  range: string,
): Promise<OpenedFile | undefined> {
  const target = path.join(folder, name);
  const file = await open(target).catch(() => undefined); // removed, or on another node
  if (!file) return undefined;
  const { size } = await file.stat();
  const part = rangeWithin(range, size);
  if (part === 'outside' || size === 0) {
    await file.close();
    return { status: 416, size, type, body: undefined };
  }
  reading.set(target, (reading.get(target) ?? 0) + 1);
  const body = file.createReadStream(part === 'whole' ? {} : part);
  body.once('close', () => {
    const others = (reading.get(target) ?? 1) - 1;
    if (others > 0) reading.set(target, others);
    else reading.delete(target);
  });
  return part === 'whole' ? { status: 200, size, type, body } : { status: 206, size, range: part, type, body };
}

interface DiskFile {
  /** Relative to the folder. */
  name: string;
  path: string;
  bytes: number;
  modifiedMs: number;
}

interface DiskLimits {
  maxBytes: number;
  maxAgeMs: number;
  nowMs: number;
}

/** Half-written files of a crash are removed after this time, which is longer than any transfer. */
const ABANDONED_MS = 3600_000;

/** Removes files that are too old, then the oldest ones until the rest fits. Returns the names of removed files. */
export async function pruneDisk(folder: string, { maxBytes, maxAgeMs, nowMs }: DiskLimits): Promise<string[]> {
  const files = (await filesBelow(folder)).toSorted((a, b) => a.modifiedMs - b.modifiedMs);
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const removed: string[] = [];
  for (const file of files) {
    const age = nowMs - file.modifiedMs;
    const isIncoming = file.name.startsWith('incoming');
    const isDue = isIncoming ? age > ABANDONED_MS : age > maxAgeMs || total > maxBytes;
    if (!isDue || reading.has(file.path)) continue;
    await rm(file.path, { force: true });
    total -= file.bytes;
    if (!isIncoming) removed.push(file.name);
  }
  return removed;
}

async function filesBelow(folder: string): Promise<DiskFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []); // nothing stored yet
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }): Promise<DiskFile[]> => {
        const target = path.join(parentPath, name);
        const info = await stat(target).catch(() => undefined); // removed meanwhile
        if (!info) return [];
        const relative = path.relative(folder, target).replaceAll(path.sep, '/');
        return [{ name: relative, path: target, bytes: info.size, modifiedMs: info.mtimeMs }];
      }),
  );
  return files.flat();
}
