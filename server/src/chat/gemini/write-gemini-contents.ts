import { isObject, parseExact, type Json } from '#json.ts';
import {
  type FilePart,
  type ImagePart,
  type Message,
  OPENING,
  type Part,
  type Signature,
  type ToolCallPart,
  type ToolResultPart,
} from '../chat.ts';
import { BadChatRequest } from '../chat-errors.ts';
import { mimeOf } from '../sources.ts';
import { argumentsObject } from '../tool-calls.ts';
import { googleFileAt } from './google-files.ts';
import type { GeminiTraits } from './gemini-traits.ts';

export interface Contents {
  system: Json[];
  contents: { role: 'user' | 'model'; parts: Json[] }[];
}

/** Google's placeholder for a call of another model, which has no signature. */
const UNSIGNED = 'skip_thought_signature_validator';

/** Moves instructions to the front and merges consecutive messages of one role. */
export function writeContents(messages: readonly Message[], traits: GeminiTraits): Contents {
  const system: Json[] = [];
  const contents: Contents['contents'] = [];
  const names = new Map<string, string>();
  for (const { role, parts } of messages) {
    if (role === 'system' || role === 'developer') {
      system.push(...parts.flatMap((part) => writePart(part, names, traits)));
      continue;
    }
    const side = role === 'assistant' ? 'model' : 'user';
    const written =
      side === 'model' ? writeAnswer(parts, names, traits) : parts.flatMap((part) => writePart(part, names, traits));
    if (written.length === 0) continue;
    const last = contents.at(-1);
    if (last?.role === side) last.parts.push(...written);
    else contents.push({ role: side, parts: written });
  }
  const [first] = contents;
  if (!first) return { system: [], contents: [{ role: 'user', parts: system }] };
  // A text may come first, a call may not.
  if (first.role === 'model' && first.parts.some((part) => 'functionCall' in part))
    contents.unshift({ role: 'user', parts: [{ text: OPENING }] });
  return { system, contents };
}

/** An assistant message, with signatures attached to its calls. */
function writeAnswer(parts: readonly Part[], names: Map<string, string>, traits: GeminiTraits): Json[] {
  const written: Json[] = [];
  let carried: Signature | undefined;
  let signed = false;
  for (const part of parts) {
    if (part.type === 'thinking') {
      if (part.signature?.kind !== 'gemini') continue;
      if (part.text === '') carried = part.signature;
      else written.push({ text: part.text, thought: true, thoughtSignature: part.signature.value });
    } else if (part.type === 'tool_call') {
      names.set(part.id, part.name);
      const own = [part.signature, carried].find((one) => one?.kind === 'gemini');
      // Of parallel calls, only the first has the signature.
      const value = own?.value ?? (traits.signedCalls && !signed ? UNSIGNED : undefined);
      signed = true;
      carried = undefined;
      written.push({ ...writeCall(part), ...(value !== undefined && { thoughtSignature: value }) });
    } else written.push(...writePart(part, names, traits));
  }
  return written;
}

const writeCall = ({ id, name, arguments: json }: ToolCallPart): Json => ({
  functionCall: { id, name, args: argumentsObject(json) },
});

function writePart(part: Part, names: ReadonlyMap<string, string>, traits: GeminiTraits): Json[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
    case 'file':
      return [writeSourced(part)];
    case 'audio':
      return [{ inlineData: { mimeType: part.mime, data: part.base64 } }];
    case 'tool_result':
      return writeResult(part, names, traits);
    default:
      return [];
  }
}

function writeSourced(part: ImagePart | FilePart): Json {
  const { source } = part;
  if ('text' in source) return { text: source.text };
  if ('base64' in source) return { inlineData: { mimeType: source.mime, data: source.base64 } };
  if ('fileId' in source)
    throw new BadChatRequest('The model behind this name takes no files by their id.', 'messages');
  // Such a file belongs to one user, which only Google's own dialect can say.
  if (googleFileAt(source.url) !== undefined)
    throw new BadChatRequest("Files of Google's Files API can be used in Google's own dialect only.", 'messages');
  const declared = part.type === 'file' ? part.mime : undefined;
  const mimeType = declared ?? mimeOf(source.url) ?? (part.type === 'image' ? 'image/jpeg' : undefined);
  return { fileData: { fileUri: source.url, ...(mimeType && { mimeType }) } };
}

function writeResult(result: ToolResultPart, names: ReadonlyMap<string, string>, traits: GeminiTraits): Json[] {
  const { id, isError, content } = result;
  const name = result.name ?? names.get(id);
  if (name === undefined) throw new BadChatRequest(`The tool result '${id}' answers no call.`, 'messages');
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const media = content.filter((part) => part.type !== 'text').map(writeSourced);
  const response = isError ? { error: text } : writeOutput(text);
  if (traits.resultParts) {
    return [{ functionResponse: { id, name, response, ...(media.length > 0 && { parts: media }) } }];
  }
  return [{ functionResponse: { id, name, response } }, ...media];
}

/** Whether a member's name begins with `$`: Google would read it as a reference to a part. */
function hasReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  return isObject(value) && Object.entries(value).some(([name, one]) => name.startsWith('$') || hasReference(one));
}

/** A result of a function, which must be an object. */
export function writeOutput(text: string): Json {
  const json = text.startsWith('{') ? parseExact(text) : undefined;
  return isObject(json) && !hasReference(json) ? json : { output: text };
}
