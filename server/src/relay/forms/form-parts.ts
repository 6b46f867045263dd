import { badRequest } from '#relay/reply/relay-error.ts';
import type { FormPart } from './form.ts';

const MAX_PARTS = 100;
const MAX_HEAD_BYTES = 8 * 1024;
const MAX_FIELDS_KIB = 1024;
/** Bytes of a file that identify its type. */
const FILE_START = 64;

const BLANK_LINE = '\r\n\r\n';

/**
 * Finds the parts of a form while it arrives, and keeps its fields. Throws a 400 for anything two parsers could read
 * differently: the upstream must see what was checked and priced here.
 */
export class FormParts {
  readonly boundary: string;
  readonly parts: FormPart[] = [];
  readonly #delimiter: Buffer;
  #step: 'start' | 'delimited' | 'head' | 'value' | 'end' = 'start';
  /** Unread bytes, and their position in the body. */
  #rest: Buffer = Buffer.alloc(0);
  #at = 0;
  #part: Omit<FormPart, 'end' | 'kept'> | undefined;
  #kept: Buffer[] = [];
  /** Total size of the fields. */
  fieldBytes = 0;

  constructor(contentType: string | undefined) {
    this.boundary = boundaryOf(contentType);
    this.#delimiter = Buffer.from(`\r\n--${this.boundary}`);
  }

  push(piece: Buffer): void {
    if (this.#step === 'end') return; // data after the last boundary is ignored
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (this.#advance());
  }

  end(): void {
    if (this.#step === 'start') throw badRequest('The form does not start with its boundary.');
    if (this.#step !== 'end') throw badRequest('The form ends before its last boundary.');
  }

  /** Makes one step; false: more bytes are needed. */
  #advance(): boolean {
    switch (this.#step) {
      case 'start':
        return this.#readStart();
      case 'delimited':
        return this.#readDelimited();
      case 'head':
        return this.#readHead();
      case 'value':
        return this.#readValue();
      case 'end':
        return false;
    }
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    this.#at += bytes;
    return taken;
  }

  #readStart(): boolean {
    const first = this.#delimiter.subarray(2);
    if (this.#rest.length < first.length) return false;
    if (!this.#take(first.length).equals(first)) throw badRequest('The form does not start with its boundary.');
    this.#step = 'delimited';
    return true;
  }

  /** After a boundary: a line end, which is not consumed, or `--` at the end of the form. */
  #readDelimited(): boolean {
    if (this.#rest.length < 2) return false;
    const next = this.#rest.toString('latin1', 0, 2);
    if (next !== '--' && next !== '\r\n') throw badRequest('The form has text after a boundary.');
    this.#step = next === '--' ? 'end' : 'head';
    return this.#step === 'head';
  }

  #readHead(): boolean {
    const length = this.#rest.indexOf(BLANK_LINE, 0, 'latin1');
    if (length > MAX_HEAD_BYTES || (length < 0 && this.#rest.length > MAX_HEAD_BYTES + BLANK_LINE.length))
      throw badRequest('The form has a part whose headers are too long.');
    if (length < 0) return false;
    if (this.parts.length === MAX_PARTS) throw badRequest(`The form has more than ${MAX_PARTS} parts.`);
    const names = namesIn(this.#take(length).toString('utf8', 2));
    // In an empty part, the second half of the blank line starts the next boundary.
    this.#take(2);
    this.#part = { ...names, start: this.#at + 2 };
    this.#step = 'value';
    return true;
  }

  #readValue(): boolean {
    const end = this.#rest.indexOf(this.#delimiter);
    if (end < 0) {
      this.#keep(Math.max(0, this.#rest.length - this.#delimiter.length + 1));
      return false;
    }
    this.#keep(end);
    const part = this.#part;
    if (part)
      this.parts.push({
        ...part,
        start: Math.min(part.start, this.#at),
        end: this.#at,
        kept: Buffer.concat(this.#kept),
      });
    this.#kept = [];
    this.#take(this.#delimiter.length);
    this.#step = 'delimited';
    return true;
  }

  /** Consumes bytes of a value. */
  #keep(bytes: number): void {
    const { start = 0, filename, name = '' } = this.#part ?? {};
    const value = this.#take(bytes).subarray(Math.max(0, start - (this.#at - bytes)));
    if (filename !== undefined) {
      const left = FILE_START - this.#kept.reduce((sum, { length }) => sum + length, 0);
      if (left > 0 && value.length > 0) this.#kept.push(Buffer.from(value.subarray(0, left)));
      return;
    }
    this.fieldBytes += value.length;
    if (this.fieldBytes > MAX_FIELDS_KIB * 1024)
      throw badRequest(`With '${name}', the fields of the form are longer than ${MAX_FIELDS_KIB} KiB.`, name);
    if (value.length > 0) this.#kept.push(Buffer.from(value));
  }
}

const isForm = (contentType: string | undefined): contentType is string =>
  contentType !== undefined && /^multipart\/form-data\s*(?:;|$)/i.test(contentType);

function boundaryOf(contentType: string | undefined): string {
  if (!isForm(contentType)) throw badRequest('The request body must be a form: multipart/form-data.');
  const found = [...contentType.matchAll(/;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]*))/gi)];
  const boundary = found[0]?.[1] ?? found[0]?.[2] ?? '';
  if (found.length !== 1 || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw badRequest('The form has no valid boundary.');
  return boundary;
}

const parameter = /\s*;\s*([\w*-]+)\s*=\s*(?:"([^"\\]*)"|([^\s;"\\]+))/gy;

/** Names in the headers of a part. Throws a 400 for anything but the plain form. */
function namesIn(head: string): Pick<FormPart, 'name' | 'filename'> {
  const lines = head.split('\r\n').filter((line) => /^content-(?:disposition|transfer-encoding)\s*:/i.test(line));
  const [line = '', ...more] = lines;
  const [all] = /^content-disposition:\s*form-data(?=\s*;)/i.exec(line) ?? [];
  if (all === undefined || more.length > 0 || /\r\n[ \t]/.test(head)) throw badPart();
  const given = new Map<string, string>();
  parameter.lastIndex = all.length;
  let end = all.length;
  for (let found = parameter.exec(line); found; found = parameter.exec(line)) {
    const [, key = '', quoted, plain = ''] = found;
    if (given.has(key.toLowerCase())) throw badPart();
    given.set(key.toLowerCase(), quoted ?? plain);
    end = parameter.lastIndex;
  }
  const name = given.get('name');
  if (name === undefined || given.has('name*') || line.slice(end).trim() !== '') throw badPart();
  return { name, filename: given.get('filename') ?? given.get('filename*') };
}

const badPart = () => badRequest('The form has a part with ambiguous headers.');
