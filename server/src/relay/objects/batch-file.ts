/**
 * Input files of Google's batches. Google does not give uploaded files back, so what their requests need is counted while
 * the file passes, and kept beside it.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isObject, type Json, objectOr, parseJson, textOr } from '#json.ts';
import { DEFERRED_OUTPUT } from '#relay/call/estimate.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import { parseGeminiEmbeddings } from '#relay/dialects/gemini-embeddings.ts';
import { checkNames } from '#relay/body/member-names.ts';
import { refuseRoutingFields } from '#relay/body/routing-fields.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import { billedOptions } from '#usage/billed-options.ts';
import { googleNamesIn } from '#relay/state/google-names.ts';

/** Google's clients upload files of this size in one piece. */
export const MOST_COUNTED = 8 * 1024 * 1024;
/** Limit of requests in a batch. */
const MAX_REQUESTS = 50_000;

/** Upper bounds of the requests of a file. */
export interface CountedFile {
  /** The action that all of them are for. */
  action: 'generateContent' | 'embedContent';
  /** The model that some of them name; empty: none does. */
  model: string;
  requests: number;
  input: number;
  output: number;
  /** The first request that orders more than tokens; left out: none does. */
  options?: Json;
}

/** Whether a request uploads a whole file that is small enough to be counted. */
export function mayBeCounted({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const commands = textOr(headers['x-goog-upload-command'], '')
    .split(',')
    .map((name) => name.trim());
  const size = Number(headers['content-length']);
  return (
    commands.includes('upload') &&
    commands.includes('finalize') &&
    headers['x-goog-upload-offset'] === '0' &&
    headers['content-encoding'] === undefined &&
    size > 0 &&
    size <= MOST_COUNTED
  );
}

/** Counts the requests of a file; undefined: it is no input of a batch that could be charged. */
export function countRequests(file: Buffer): CountedFile | undefined {
  if (file[0] !== 0x7b) return undefined; // an opening brace
  const counted: CountedFile = { action: 'generateContent', model: '', requests: 0, input: 0, output: 0 };
  const keys = new Set<string>();
  try {
    for (const line of file.toString('utf8').split('\n')) {
      if (line.trim() === '') continue;
      const { key, request } = objectOr(parseJson(line));
      if (typeof key !== 'string' || keys.has(key) || !isObject(request)) return undefined;
      checkNames(line, 'google');
      refuseRoutingFields(request);
      keys.add(key);
      if (!addRequest(counted, request)) return undefined;
    }
  } catch (error) {
    if (error instanceof RelayError) return undefined;
    throw error;
  }
  return counted.requests > 0 && counted.requests <= MAX_REQUESTS ? counted : undefined;
}

/** False: the request cannot be part of the batch. */
function addRequest(counted: CountedFile, request: Json): boolean {
  const action = request['content'] === undefined ? 'generateContent' : 'embedContent';
  if (counted.requests > 0 && action !== counted.action) return false;
  counted.action = action;
  const model = textOr(request['model'], '').replace(/^models\//, '');
  if (model !== '' && counted.model !== '' && model !== counted.model) return false;
  counted.model ||= model;
  // Owners of files and caches are checked in batches whose requests come with the order.
  if (googleNamesIn(request, Buffer.from(JSON.stringify(request))).length > 0) return false;
  // Counts do not depend on the model.
  const parsed =
    action === 'embedContent'
      ? parseGeminiEmbeddings(request, 'any', false)
      : readChat('gemini', request, { model: 'any', stream: false });
  const { tools, serviceTier, service_tier: tier } = request;
  if (!counted.options && billedOptions(request).length > 0)
    counted.options = { tools, serviceTier, service_tier: tier };
  counted.requests++;
  counted.input += parsed.inputTokens;
  counted.output += parsed.outputLimit ?? DEFERRED_OUTPUT * (parsed.choices ?? 1);
  return true;
}
