import { isObject, listOr, objectOr, type Json } from '#json.ts';
import { lookup } from './lookup.ts';
import type { UpstreamAnswer, ErrorReader, UpstreamError } from './provider.ts';

/** HTTP statuses for vendors' error codes and types that are more precise than the reply's status. */
export type Statuses = Readonly<Record<string, number>>;

/** Reads an error of any common shape; undefined for a success status without one. */
export const readUpstreamError: ErrorReader = (answer) => errorIn(answer, {});

/** Like `readUpstreamError`, for a vendor with meaningful codes. */
export const errorsWith =
  (statuses: Statuses): ErrorReader =>
  (answer) =>
    errorIn(answer, statuses);

/** Like `errorsWith`, for a vendor whose every reply has a numeric `code`; `success` is the one of replies without error. */
export const errorsByCode =
  (success: number, statuses: Statuses): ErrorReader =>
  (answer) => {
    const { code } = objectOr(answer.json);
    const isHidden = answer.status < 300 && typeof code === 'number' && code !== success;
    return errorIn(isHidden ? { ...answer, status: 502 } : answer, statuses);
  };

function errorIn({ status, headers = {}, json }: UpstreamAnswer, statuses: Statuses): UpstreamError | undefined {
  const body = objectOr(Array.isArray(json) ? json[0] : json);
  const failed = status < 200 || status >= 300;
  const error = declared(body) ?? (failed ? plain(body, headers) : undefined);
  if (!error)
    return failed ? { ...nothing, message: `HTTP status ${status}`, status, ...waitIn(headers, {}) } : undefined;
  const statusOf = lookup(statuses);
  const own = statusOf(error.code) ?? statusOf(error.type);
  const number = Number(error.code);
  const usual = failed ? status : number >= 400 && number < 600 ? number : 502;
  return { ...nothing, ...error, status: own ?? usual, ...waitIn(headers, body) };
}

type ErrorFields = Pick<UpstreamError, 'message' | 'type' | 'code' | 'param' | 'inner'>;

const nothing = { message: '', type: undefined, code: undefined, param: undefined, retryAfterMs: undefined };

/** Shapes that are errors at any status. */
function declared(body: Json): ErrorFields | undefined {
  const { error, base_resp: base, Response: wrapped } = body;
  if (typeof error === 'string' && error !== '') return found({ message: error, code: body['code'] });
  if (isObject(error) && Object.keys(error).length > 0) return found(error);
  if (body['type'] === 'error') return found(body);
  if (isObject(base) && isCode(base['status_code']))
    return found({ message: base['status_msg'], code: base['status_code'] });
  const inner = objectOr(wrapped)['Error'];
  if (isObject(inner)) return found({ message: inner['Message'], code: inner['Code'] });
  if (isCode(body['error_code'])) return found({ message: body['error_msg'], code: body['error_code'] });
  if (body['success'] === false) return found({ ...body, ...objectOr(listOr(body['errors'])[0]) });
  return undefined;
}

const isCode = (value: unknown): boolean => value !== undefined && value !== null && value !== 0 && value !== '0';

/** Shapes that are errors only with an error status, because other replies have members of these names. */
function plain(body: Json, headers: NonNullable<UpstreamAnswer['headers']>): ErrorFields | undefined {
  const { message, msg, Message, detail, title, errors, __type } = body;
  const type = textOf(headers['x-amzn-errortype'])?.split(':', 1)[0] ?? textOf(__type)?.split('#').at(-1);
  const texts = [message, Message, msg, detail, title, errors, body['error_msg']]
    .map((one) => sentence(one))
    .find(Boolean);
  if (texts === undefined && type === undefined) return undefined;
  return found({ ...body, message: texts, ...(type && { type }) });
}

function found({ message, msg, type, code, status, param, name, innererror }: Json): ErrorFields {
  const inner = filterFindings(innererror);
  const ownType = type === 'error' ? undefined : textOf(type);
  return {
    message: sentence(message) ?? sentence(msg) ?? textOf(code) ?? ownType ?? 'error',
    type: ownType ?? (typeof status === 'string' ? status : undefined) ?? textOf(name),
    code: textOf(code),
    param: textOf(param),
    ...(inner && { inner }),
  };
}

/** Only known members, because an error may contain anything. https://learn.microsoft.com/azure/ai-services/openai */
function filterFindings(innererror: unknown): Json | undefined {
  const { code, content_filter_result, content_filter_results = content_filter_result } = objectOr(innererror);
  const findings = Object.entries(objectOr(content_filter_results)).flatMap(([name, finding]) => {
    if (!/^[a-z_]{1,40}$/.test(name) || !isObject(finding)) return [];
    const { filtered, detected, severity } = finding;
    const kept = {
      ...(typeof filtered === 'boolean' && { filtered }),
      ...(typeof detected === 'boolean' && { detected }),
      ...(typeof severity === 'string' && /^[a-z]{1,20}$/.test(severity) && { severity }),
    };
    return [[name, kept] as const];
  });
  if (findings.length === 0) return undefined;
  const named = typeof code === 'string' && /^\w{1,60}$/.test(code);
  return { ...(named && { code }), content_filter_result: Object.fromEntries(findings) };
}

/** A message, or the joined messages of a validator's error list. */
function sentence(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (depth > 2) return undefined;
  if (isObject(value)) return sentence(value['message'] ?? value['msg'] ?? value['detail'], depth + 1);
  const parts = listOr(value).slice(0, 5);
  const texts = parts.map((one) => [place(one), sentence(one, depth + 1)].filter(Boolean).join(': '));
  return texts.filter(Boolean).join('; ') || undefined;
}

const place = (fault: unknown): string =>
  listOr(objectOr(fault)['loc'])
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .join('.');

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

/** Azure and OpenAI send milliseconds in a header, Google a duration in the details. */
function waitIn(headers: NonNullable<UpstreamAnswer['headers']>, body: Json): Pick<UpstreamError, 'retryAfterMs'> {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (ms >= 0) return { retryAfterMs: ms };
  const delay = listOr(objectOr(body['error'])['details'])
    .map((one) => objectOr(one)['retryDelay'])
    .find((one) => typeof one === 'string');
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1] ?? Number.NaN);
  return { retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined };
}
