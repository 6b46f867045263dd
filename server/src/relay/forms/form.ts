import { badRequest } from '#relay/routes/relay-error.ts';
import type { BodyPiece, Spool, StoredBody } from './spool.ts';

/** A part of a form, by where its value stands in the body. */
export interface FormPart {
  name: string;
  /** Undefined: the part is a plain field. */
  filename: string | undefined;
  start: number;
  /** Exclusive. */
  end: number;
  /** All of a field, and of a file what tells its kind. */
  kept: Buffer;
}

/** A `multipart/form-data` body: its bytes go upstream as they came. */
export interface Form {
  spool: Spool;
  boundary: string;
  parts: readonly FormPart[];
}

/** The text of a field; undefined when it is not there. Throws a 400 when it is there twice, or is a file. */
export function fieldIn({ parts }: Form, name: string): string | undefined {
  const [found, ...more] = parts.filter((part) => part.name === name);
  if (more.length > 0) throw badRequest(`'${name}' is given more than once.`, name);
  if (!found) return undefined;
  if (found.filename !== undefined) throw badRequest(`'${name}' is not valid: it must be a text, not a file.`, name);
  return found.kept.toString('utf8');
}

/** The files under one of these names, of which there has to be at least one. Throws a 400. */
export function filesIn({ parts }: Form, name: string, alias = name): FormPart[] {
  const found = parts.filter((part) => part.name === name || part.name === alias);
  if (found.length === 0) throw badRequest(`'${name}' is required.`, name);
  if (found.some(({ filename, start, end }) => filename === undefined || start === end))
    throw badRequest(`'${name}' is not valid: it must be a file that is not empty.`, name);
  return found;
}

/** All texts of a form: what a caller said in words. */
export const textsIn = ({ parts }: Form): Buffer =>
  Buffer.concat(parts.filter(({ filename }) => filename === undefined).map(({ kept }) => kept));

/** The bytes of a form, for another model where one is named, and without the fields of these names. */
export function formFor(
  { spool, boundary, parts }: Form,
  model: string | undefined,
  without: readonly string[] = [],
): Buffer | StoredBody {
  const { size } = spool;
  const pieces: BodyPiece[] = [];
  if (model !== undefined && !parts.some(({ name }) => name === 'model'))
    pieces.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n`));
  let from = 0;
  let before = 0;
  for (const { name, start, end } of parts) {
    if (without.includes(name)) {
      // From the end of the value before it, so that its delimiter and head go too.
      if (before > from) pieces.push({ start: from, end: before });
      // The first one takes the line end behind it along.
      from = before === 0 ? end + 2 : end;
    } else if (name === 'model' && model !== undefined) {
      pieces.push({ start: from, end: start }, Buffer.from(model));
      from = end;
    }
    before = end;
  }
  pieces.push({ start: from, end: size });
  return spool.sent(pieces);
}

export const formType = ({ boundary }: Form): string =>
  `multipart/form-data; boundary=${/^[\w'+.-]+$/.test(boundary) ? boundary : `"${boundary}"`}`;
