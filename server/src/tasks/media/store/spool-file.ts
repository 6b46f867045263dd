import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { TaskMediaKind } from '@relay-hub/contract';
import { HEAD_BYTES, mediaTypeOf } from '../media-type.ts';

/** Most bytes of one result file. */
export const LARGEST_FILE = 2 * 1024 * 1024 * 1024;

/** A result that is not stored, however often it is fetched. */
export class RefusedFile extends Error {}

/** A complete file on its way into a store. */
export interface SpooledFile {
  path: string;
  bytes: number;
  type: string;
  /** Hexadecimal. */
  sha256: string;
}

interface SpoolOptions {
  kind: TaskMediaKind;
  /** The type of files that are no known media; left out: they are refused. */
  otherType?: string;
  maxBytes?: number;
}

/**
 * Writes a file below `folder` piece by piece, and checks its type by its first bytes. Nothing is left behind if that
 * fails. Throws `RefusedFile` for a wrong type and for too many bytes.
 */
export async function spoolFile(
  folder: string,
  source: AsyncIterable<Buffer>,
  { kind, otherType, maxBytes = LARGEST_FILE }: SpoolOptions,
): Promise<SpooledFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const target = path.join(folder, `${randomUUID()}.part`);
  const file = await open(target, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let head = Buffer.alloc(0);
    let bytes = 0;
    let type: string | undefined;
    for await (const piece of source) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new RefusedFile(`the file is larger than ${maxBytes} bytes`);
      if (head.length < HEAD_BYTES) {
        head = Buffer.concat([head, piece]).subarray(0, HEAD_BYTES);
        // Refused early: a page is not read to its end.
        if (head.length === HEAD_BYTES) type = typeOf(head, kind, otherType);
      }
      hash.update(piece);
      await file.writeFile(piece);
    }
    type ??= typeOf(head, kind, otherType);
    await file.sync();
    await file.close();
    return { path: target, bytes, type, sha256: hash.digest('hex') };
  } catch (error) {
    await file.close();
    await rm(target, { force: true });
    throw error;
  }
}

function typeOf(head: Buffer, kind: TaskMediaKind, otherType: string | undefined): string {
  const type = mediaTypeOf(head, kind) ?? otherType;
  if (type === undefined) throw new RefusedFile('the file is neither a picture nor a sound nor a video');
  return type;
}
