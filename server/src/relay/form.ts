import { badRequest } from './relay-error.ts';

/** A part of a form, by where its value stands in the body. */
export interface FormPart {
  name: string;
  /** Undefined: the part is a plain field. */
  filename: string | undefined;
  start: number;
  /** Exclusive. */
  end: number;
}

/** A `multipart/form-data` body that was read without being copied: its bytes go upstream as they came. */
export interface Form {
  body: Buffer;
  boundary: string;
  parts: readonly FormPart[];
}

const MOST_PARTS = 100;
const LONGEST_HEAD = 8 * 1024;

/**
 * Finds the parts of a form. Throws a 400 for what two readers could understand differently: what is checked and priced
 * here has to be what the upstream reads.
 */
export function readForm(body: Buffer, contentType: string | undefined): Form {
  const boundary = boundaryOf(contentType);
  const parts: FormPart[] = [];
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  if (!body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2)))
    throw badRequest('The form does not start with its boundary.');
  let at = delimiter.length - 2;
  while (!startsWith(body, at, '--')) {
    if (!startsWith(body, at, '\r\n')) throw badRequest('The form has a boundary that is not on a line of its own.');
    const headEnd = body.indexOf('\r\n\r\n', at, 'latin1');
    const end = headEnd < 0 ? -1 : body.indexOf(delimiter, headEnd + 2);
    if (end < 0) throw badRequest('The form ends before its last boundary.');
    if (headEnd - at > LONGEST_HEAD) throw badRequest('The form has a part whose headers are too long.');
    if (parts.length === MOST_PARTS) throw badRequest(`The form has more than ${MOST_PARTS} parts.`);
    const head = body.toString('utf8', at + 2, headEnd);
    parts.push({ ...namesIn(head), start: Math.min(headEnd + 4, end), end });
    at = end + delimiter.length;
  }
  return { body, boundary, parts };
}

/** The text of a field; undefined when it is not there. Throws a 400 when it is there twice, or is a file. */
export function fieldIn({ body, parts }: Form, name: string): string | undefined {
  const [found, ...more] = parts.filter((part) => part.name === name);
  if (more.length > 0) throw badRequest(`'${name}' is given more than once.`, name);
  if (!found) return undefined;
  if (found.filename !== undefined) throw badRequest(`'${name}' is not valid: it must be a text, not a file.`, name);
  return body.toString('utf8', found.start, found.end);
}

/** The files under one of these names, of which there has to be at least one. Throws a 400. */
export function filesIn({ parts }: Form, name: string, alias = name): FormPart[] {
  const found = parts.filter((part) => part.name === name || part.name === alias);
  if (found.length === 0) throw badRequest(`'${name}' is required.`, name);
  if (found.some(({ filename, start, end }) => filename === undefined || start === end))
    throw badRequest(`'${name}' is not valid: it must be a file that is not empty.`, name);
  return found;
}

/** The same form for another model. */
export function formFor({ body, boundary, parts }: Form, model: string): Buffer {
  const part = parts.find(({ name }) => name === 'model');
  if (part) return Buffer.concat([body.subarray(0, part.start), Buffer.from(model), body.subarray(part.end)]);
  const added = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n`;
  return Buffer.concat([Buffer.from(added), body]);
}

export const formType = ({ boundary }: Form): string =>
  `multipart/form-data; boundary=${/^[\w'+.-]+$/.test(boundary) ? boundary : `"${boundary}"`}`;

export const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^multipart\/form-data\s*(?:;|$)/i.test(contentType);

function boundaryOf(contentType: string | undefined): string {
  if (!isForm(contentType)) throw badRequest('The request body must be a form: multipart/form-data.');
  const found = [...contentType!.matchAll(/;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]*))/gi)];
  const boundary = found[0]?.[1] ?? found[0]?.[2] ?? '';
  if (found.length !== 1 || !/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw badRequest('The form has no boundary, or one that is not valid.');
  return boundary;
}

const parameter = /\s*;\s*([\w*-]+)\s*=\s*(?:"([^"\\]*)"|([^\s;"\\]+))/gy;

/** What the headers of a part say. Throws a 400 for other forms of a name than the plain one. */
function namesIn(head: string): Pick<FormPart, 'name' | 'filename'> {
  const lines = head.split('\r\n').filter((line) => /^content-(?:disposition|transfer-encoding)\s*:/i.test(line));
  const [line = '', ...more] = lines;
  const [all] = /^content-disposition:\s*form-data(?=\s*;)/i.exec(line) ?? [];
  if (all === undefined || more.length > 0 || /\r\n[ \t]/.test(head)) throw badPart();
  const given: Record<string, string> = Object.create(null) as Record<string, string>;
  parameter.lastIndex = all.length;
  let end = all.length;
  for (let found = parameter.exec(line); found; found = parameter.exec(line)) {
    const key = found[1]!.toLowerCase();
    if (key in given) throw badPart();
    given[key] = found[2] ?? found[3] ?? '';
    end = parameter.lastIndex;
  }
  const { name, filename } = given;
  if (name === undefined || 'name*' in given || line.slice(end).trim() !== '') throw badPart();
  return { name, filename: filename ?? given['filename*'] };
}

const badPart = () => badRequest('The form has a part whose headers cannot be read without doubt.');

const startsWith = (body: Buffer, at: number, text: string): boolean =>
  body.toString('latin1', at, at + text.length) === text;
