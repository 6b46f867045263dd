import { Buffer } from 'node:buffer';
import { isObject, type Json } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { Form, FormPart } from '#relay/forms/form.ts';
import { readForm } from '#relay/forms/read-form.ts';
import type { BodyKind } from '#relay/body/member-names.ts';
import { BODY_LIMIT, type BodyIntake, bodyTooLarge, parseJson, readBody } from '#relay/body/read-body.ts';
import { dropFrom, routingFieldsIn, setDroppedHeader } from '#relay/body/routing-fields.ts';
import { badRequest, serverBusy } from '#relay/reply/relay-error.ts';
import { typeOfMedia } from './media-type.ts';

/**
 * The body of a submission as an object. With `forms`, a form is read as one: its fields are texts, `a[b]` is member `b`
 * of `a`, `a[]` is a list, and a file is a data URL. Throws a 400 for anything else, and a 413 for files that are too
 * large in sum.
 */
export async function readTaskBody(
  context: HttpContext,
  intake: BodyIntake,
  form: { forms?: boolean; kind: BodyKind },
): Promise<Json> {
  const body = await readObject(context, intake, form);
  // Fields that are not known here go to the vendor.
  const names = routingFieldsIn(body);
  if (names) {
    dropFrom(body, names);
    setDroppedHeader(context.response, names);
  }
  return body;
}

async function readObject(
  { deps, request }: HttpContext,
  intake: BodyIntake,
  { forms = false, kind }: { forms?: boolean; kind: BodyKind },
): Promise<Json> {
  if (forms && /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
    const form = await readForm(request, deps.spools, intake);
    try {
      return await objectOf(form, intake);
    } finally {
      await form.spool.close();
    }
  }
  const body = parseJson(await readBody(request, intake), kind);
  if (!isObject(body)) throw badRequest('The request body must be a JSON object.');
  return body;
}

/** Names that are no member of every object. */
const plainName = /^(?!__proto__$|constructor$|prototype$)[A-Za-z_][\w.-]{0,63}$/;

async function objectOf(form: Form, { claim }: BodyIntake): Promise<Json> {
  const fileBytes = form.parts.reduce(
    (sum, part) => sum + (part.filename === undefined ? 0 : part.end - part.start),
    0,
  );
  if (fileBytes > BODY_LIMIT) throw bodyTooLarge();
  // The bytes and their text in base64.
  if (!claim.grow(Math.ceil(fileBytes * 2.4))) throw serverBusy();
  const fields: Json = {};
  for (const part of form.parts) {
    const [, name = '', member, list] = /^([^[\]]+)(?:\[([^[\]]+)\]|(\[\]))?$/.exec(part.name) ?? [];
    if (!plainName.test(name) || (member !== undefined && !plainName.test(member)))
      throw badRequest('The form has a field whose name is not valid.');
    const value = part.filename === undefined ? part.kept.toString('utf8') : await dataUrlOf(form, part);
    if (member !== undefined) {
      const parent = Object.hasOwn(fields, name) ? fields[name] : (fields[name] = {});
      if (!isObject(parent) || Object.hasOwn(parent, member)) throw givenTwice(name);
      parent[member] = value;
    } else if (list !== undefined) {
      const values = Object.hasOwn(fields, name) ? fields[name] : (fields[name] = []);
      if (!Array.isArray(values)) throw givenTwice(name);
      values.push(value);
    } else {
      if (Object.hasOwn(fields, name)) throw givenTwice(name);
      fields[name] = value;
    }
  }
  return fields;
}

const givenTwice = (name: string) => badRequest(`'${name}' is given more than once.`, name);

async function dataUrlOf({ spool }: Form, { name, start, end }: FormPart): Promise<string> {
  const stored = spool.assemble([{ start, end }]);
  let bytes: Buffer;
  if (Buffer.isBuffer(stored)) bytes = stored;
  else {
    const pieces: Buffer[] = [];
    for await (const piece of stored.open()) pieces.push(piece as Buffer); // a stream of bytes
    bytes = Buffer.concat(pieces);
  }
  const type = typeOfMedia(bytes);
  if (type === undefined) throw badRequest(`'${name}' is not valid: it must be a picture, a video or a sound.`, name);
  return `data:${type};base64,${bytes.toString('base64')}`;
}
