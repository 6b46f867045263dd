import { createHash } from 'node:crypto';
import { type Json, listOr, objectOr, textOr } from '#json.ts';
import { type ModelTurn, countTokens, type CountedTokens, type Move, nextMove, type Step } from './agent-script.ts';
import { halves, unknownField, type VendorReply, SimulatedRefusal, type VendorRequest } from './vendor-server.ts';

const requestFields = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
  'labels',
  'store',
  'serviceTier',
]);
const partFields = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'partMetadata',
  'mediaResolution',
  'videoMetadata',
]);

/** Values that Google documents for histories of other models. */
const stands = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

function refusal(message: string): SimulatedRefusal {
  return new SimulatedRefusal(400, message, { error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
}

const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
/** Google takes both spellings of its members. */
const camelKeys = (json: unknown): Json =>
  Object.fromEntries(Object.entries(objectOr(json)).map(([name, value]) => [camel(name), value]));

const signed = (name: string, input: Json): string =>
  createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64');

let made = 0;

/** Google's generateContent, https://ai.google.dev/api/generate-content. */
export function geminiVendor({ path, body: json }: VendorRequest): VendorReply {
  const [, model = '', action] = /^\/v1(?:beta)?\/models\/([^:]+):(\w+)$/.exec(path) ?? [];
  const body = camelKeys(json);
  if (action === 'countTokens') return { json: { totalTokens: JSON.stringify(body).length } };
  if (action !== 'generateContent' && action !== 'streamGenerateContent')
    throw new SimulatedRefusal(404, 'not found', { error: { code: 404, message: 'not found', status: 'NOT_FOUND' } });
  const field = unknownField(body, requestFields);
  if (field !== undefined) throw unknownName(field);
  const contents = contentsOf(body);
  const wrongPart = contents.flatMap(({ parts }) => parts.map((part) => unknownField(part, partFields))).find(Boolean);
  if (wrongPart !== undefined) throw unknownName(wrongPart);
  const isThird = model.includes('gemini-3');
  checkTurns(contents, isThird);

  const config = camelKeys(body['generationConfig']);
  const { includeThoughts } = camelKeys(config['thinkingConfig']);
  const choice = camelKeys(camelKeys(body['toolConfig'])['functionCallingConfig']);
  const asked: ModelTurn = {
    steps: contents.flatMap(stepsOf),
    tools: listOr(body['tools'])
      .flatMap((tool) => listOr(camelKeys(tool)['functionDeclarations']))
      .map((declared) => {
        const { name, parameters, parametersJsonSchema } = camelKeys(declared);
        return { name: textOr(name, ''), schema: parametersJsonSchema ?? parameters };
      }),
    forced: choice['mode'] === 'ANY' ? textOr(listOr(choice['allowedFunctionNames'])[0], '') : undefined,
    schema: config['responseJsonSchema'] ?? config['responseSchema'],
    reasons: isThird || includeThoughts === true,
  };
  const move = nextMove(asked);
  const usage = countTokens(body, asked, move);
  const parts = partsOf(move, includeThoughts === true, isThird);
  const base = { modelVersion: model, responseId: `response-${++made}` };
  const candidate = (some: Json[], finishReason?: string): object => ({
    content: { role: 'model', parts: some },
    index: 0,
    ...(finishReason && { finishReason }),
  });
  if (action === 'generateContent')
    return { usage, json: { ...base, candidates: [candidate(parts, 'STOP')], usageMetadata: usageJson(usage) } };
  const events = parts.flatMap(piecesOf).map((part) => ({
    ...base,
    candidates: [candidate([part])],
    usageMetadata: { promptTokenCount: usage.prompt, totalTokenCount: usage.prompt },
  }));
  const last = { ...base, candidates: [candidate([{ text: '' }], 'STOP')], usageMetadata: usageJson(usage) };
  return { usage, events: [...events, last] };
}

const unknownName = (name: string): SimulatedRefusal =>
  refusal(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);

/** Turns of the conversation; contents of one role that follow each other are one turn. */
function contentsOf(body: Json): Content[] {
  const turns: Content[] = [];
  for (const content of listOr(body['contents'])) {
    const { role, parts: some } = camelKeys(content);
    const parts = listOr(some).map(camelKeys);
    const last = turns.at(-1);
    if (last && last.role === textOr(role, 'user')) last.parts.push(...parts);
    else turns.push({ role: textOr(role, 'user'), parts });
  }
  return turns;
}

type Content = { role: string; parts: Json[] };

const partsWith = ({ parts }: Content, name: string): Json[] => parts.filter((part) => part[name] !== undefined);

/** Calls after a user's turn, and as many results in the next; since Gemini 3 the first call of each step is signed. */
function checkTurns(contents: readonly Content[], needsSignature: boolean): void {
  const started = contents.findLastIndex(
    (content) => content.role === 'user' && partsWith(content, 'functionResponse').length === 0,
  );
  for (const [i, content] of contents.entries()) {
    const calls = partsWith(content, 'functionCall');
    if (i === 0 && calls.length > 0)
      throw refusal(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    const results = partsWith(contents[i + 1] ?? { role: 'user', parts: [] }, 'functionResponse');
    if (calls.length !== results.length && (calls.length > 0 || results.length > 0))
      throw refusal(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    const [first] = calls;
    if (!needsSignature || i < started || !first) continue;
    const { name, args } = objectOr(first['functionCall']);
    const signature = textOr(first['thoughtSignature'], '');
    if (signature === '')
      throw refusal(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${String(name)}\` , position ${i + 1}.`,
      );
    if (!isSame(signature, signed(textOr(name, ''), objectOr(args))) && !isStand(signature))
      throw refusal('Thought signature is not valid');
  }
}

/** Google's Python client sends the bytes in the alphabet for addresses. */
const isSame = (one: string, other: string): boolean => Buffer.from(one, 'base64').equals(Buffer.from(other, 'base64'));

const isStand = (signature: string): boolean =>
  stands.has(signature) || stands.has(Buffer.from(signature, 'base64').toString('utf8'));

function stepsOf({ role, parts }: Content): Step[] {
  return parts.flatMap((part): Step[] => {
    const call = objectOr(part['functionCall']);
    const result = objectOr(part['functionResponse']);
    // Results are found by name and order; the ids are optional.
    if (call['name'] !== undefined)
      return [{ kind: 'call', id: textOr(call['id'], ''), name: textOr(call['name'], '') }];
    if (result['name'] !== undefined)
      return [{ kind: 'result', id: textOr(result['id'], ''), text: resultText(result['response']) }];
    const text = textOr(part['text'], '');
    return text && part['thought'] !== true ? [{ kind: role === 'model' ? 'model' : 'user', text }] : [];
  });
}

/** A result is an object; clients put their text into one of its members. */
const resultText = (response: unknown): string =>
  Object.values(objectOr(response))
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' ');

function partsOf({ reasoning, text, calls }: Move, tellsThoughts: boolean, signs: boolean): Json[] {
  return [
    ...(reasoning && tellsThoughts ? [{ text: reasoning, thought: true }] : []),
    ...(text ? [{ text }] : []),
    ...calls.map(({ name, input }, i) => ({
      functionCall: { id: `fc${++made}`, name, args: input },
      ...(signs && i === 0 && { thoughtSignature: signed(name, input) }),
    })),
  ];
}

const piecesOf = (part: Json): Json[] =>
  typeof part['text'] === 'string' ? halves(part['text']).map((text) => ({ ...part, text })) : [part];

const usageJson = ({ prompt, cached, completion, reasoning }: CountedTokens): object => ({
  promptTokenCount: prompt,
  ...(cached > 0 && { cachedContentTokenCount: cached }),
  candidatesTokenCount: completion - reasoning,
  ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  totalTokenCount: prompt + completion,
});
