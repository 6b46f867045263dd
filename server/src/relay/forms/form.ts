import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { badRequest } from '#relay/reply/relay-error.ts';
import type { BodyPiece, Spool, StoredBody } from './spool.ts';

/** A part of a form; `start` and `end` are positions of its value in the body. */
export interface FormPart {
  name: string;
  /** Undefined: a plain field. */
  filename: string | undefined;
  start: number;
  /** Exclusive. */
  end: number;
  /** The whole field, or the first bytes of a file. */
  kept: Buffer;
}

/** A `multipart/form-data` body, whose bytes go upstream unchanged. */
export interface Form {
  spool: Spool;
  boundary: string;
  parts: readonly FormPart[];
  /** Where fields differ from the body: its own parts, and the new texts; undefined removes a field. */
  changed?: { from: readonly FormPart[]; texts: ReadonlyMap<string, string | undefined> };
}

/** Text of a field; undefined: missing. Throws a 400 for a duplicate field or a file. */
export function fieldIn({ parts }: Form, name: string): string | undefined {
  const [found, ...more] = parts.filter((part) => part.name === name);
  if (more.length > 0) throw badRequest(`'${name}' is given more than once.`, name);
  if (!found) return undefined;
  if (found.filename !== undefined) throw badRequest(`'${name}' is not valid: it must be a text, not a file.`, name);
  return found.kept.toString('utf8');
}

/** Files with one of two names, at least one. Throws a 400. */
export function filesIn({ parts }: Form, name: string, alias = name): FormPart[] {
  const found = parts.filter((part) => part.name === name || part.name === alias);
  if (found.length === 0) throw badRequest(`'${name}' is required.`, name);
  if (found.some(({ filename, start, end }) => filename === undefined || start === end))
    throw badRequest(`'${name}' is not valid: it must be a file that is not empty.`, name);
  return found;
}

/** All text fields. */
export const textsIn = ({ parts }: Form): Buffer =>
  Buffer.concat(parts.filter(({ filename }) => filename === undefined).map(({ kept }) => kept));

/** Names that need no escape in the head of a part. */
const plainName = /^[\w.[\]-]{1,100}$/;

/** The form with other text fields; undefined removes one. Files and fields with unusual names are unchanged. */
export function withTexts(form: Form, changes: ReadonlyMap<string, string | undefined>): Form {
  const files = new Set(form.parts.filter(({ filename }) => filename !== undefined).map(({ name }) => name));
  const texts = new Map([...changes].filter(([name]) => plainName.test(name) && !files.has(name)));
  const parts = form.parts.flatMap((part) => {
    const text = texts.get(part.name);
    if (!texts.has(part.name)) return [part];
    return text === undefined ? [] : [{ ...part, kept: Buffer.from(text) }];
  });
  const known = new Set(parts.map(({ name }) => name));
  const added = [...texts].flatMap(([name, text]) =>
    text === undefined || known.has(name)
      ? []
      : [{ name, filename: undefined, start: 0, end: 0, kept: Buffer.from(text) }],
  );
  return { ...form, parts: [...parts, ...added], changed: { from: form.parts, texts } };
}

/** The form with another model, if given, and without some fields. */
export function formFor(
  { spool, boundary, parts, changed }: Form,
  model: string | undefined,
  without: readonly string[] = [],
): Buffer | StoredBody {
  const { size } = spool;
  const { from: own = parts } = changed ?? {};
  const texts = new Map(changed?.texts);
  if (model !== undefined) texts.set('model', model);
  for (const name of without) texts.set(name, undefined);
  const pieces: BodyPiece[] = [];
  for (const [added, text] of texts)
    if (text !== undefined && !own.some(({ name }) => name === added))
      pieces.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${added}"\r\n\r\n${text}\r\n`));
  let from = 0;
  let before = 0;
  for (const { name, start, end } of own) {
    const text = texts.get(name);
    if (text === undefined && texts.has(name)) {
      // Starts at the end of the previous value, so delimiter and headers are removed too.
      if (before > from) pieces.push({ start: from, end: before });
      // The first part also loses the line end after it.
      from = before === 0 ? end + 2 : end;
    } else if (text !== undefined) {
      pieces.push({ start: from, end: start }, Buffer.from(text));
      from = end;
    }
    before = end;
  }
  pieces.push({ start: from, end: size });
  return spool.assemble(pieces);
}

/** A part's bytes as a body, or in base64 between two texts. */
export function bodyOfFile(
  { spool }: Form,
  { start, end }: FormPart,
  around?: readonly [before: string, after: string],
): Buffer | StoredBody {
  const file = spool.assemble([{ start, end }]);
  if (!around) return file;
  const [before, after] = around;
  if (Buffer.isBuffer(file)) return Buffer.from(before + file.toString('base64') + after);
  const length = Buffer.byteLength(before + after) + Math.ceil(file.length / 3) * 4;
  return { length, open: () => Readable.from(inBase64(file.open(), before, after), { objectMode: false }) };
}

async function* inBase64(bytes: Readable, before: string, after: string): AsyncGenerator<Buffer> {
  yield Buffer.from(before);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    const all = Buffer.concat([rest, chunk]);
    // Three bytes are four characters, so the pieces can be joined.
    const whole = all.length - (all.length % 3);
    rest = all.subarray(whole);
    if (whole > 0) yield Buffer.from(all.toString('base64', 0, whole));
  }
  yield Buffer.from(rest.toString('base64') + after);
}

export const formType = ({ boundary }: Form): string =>
  `multipart/form-data; boundary=${/^[\w'+.-]+$/.test(boundary) ? boundary : `"${boundary}"`}`;
