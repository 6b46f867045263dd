/**
 * Google's Interactions in the form of generateContent, and its replies as steps of an interaction.
 * https://ai.google.dev/api/interactions-api
 */
import { isObject, listOr, objectOr, textOr, type Json } from '#json.ts';
import { Fields, lookUp } from '../fields.ts';
import { newCallId } from '../tool-calls.ts';
import { isSound } from '../sound.ts';
import { writeOutput } from './write-gemini-contents.ts';
import { speechConfig } from './write-gemini-request.ts';

/** An interaction as a call of generateContent. */
export interface ReadInteraction {
  model: string;
  stream: boolean;
  /** Whether it may be continued later. */
  keeps: boolean;
  previousId: string | undefined;
  /** Input of the caller, without earlier turns. */
  contents: Json[];
  /** The other members of generateContent. */
  rest: Json;
}

/** Throws a `BadChatRequest` that names a field which no model supports. */
export function readInteraction(json: unknown): ReadInteraction {
  const f = new Fields(json);
  for (const field of ['agent', 'background', 'environment', 'continuation_token', 'cached_content'])
    if (f.has(field) && f.any(field) !== false) f.fail(field, 'left out: interactions of this kind are not served');
  const system = f.text('system_instruction');
  const modalities = f.has('response_modalities') ? f.texts('response_modalities') : [];
  const formats = f.oneOrMore('response_format') ?? [];
  f.any('labels');
  const config = { ...readConfig(f), ...readFormats(formats, modalities, f.text('response_mime_type')) };
  const tools = (f.objects('tools') ?? []).map(readTool);
  const read = {
    model: f.needText('model').replace(/^models\//, ''),
    stream: f.flag('stream') ?? false,
    keeps: f.flag('store') ?? true,
    previousId: f.text('previous_interaction_id'),
    contents: readInput(f),
    rest: {
      ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length > 0 && { tools: joinedTools(tools) }),
      ...readChoice(f),
      ...(Object.keys(config).length > 0 && { generationConfig: config }),
      ...(f.has('service_tier') && { serviceTier: f.text('service_tier') }),
    },
  };
  const [unread] = f.unread() ?? [];
  if (unread !== undefined) f.fail(unread, 'left out: it is not served');
  return read;
}

/** Members of `generation_config` under the names of generateContent. */
const config: Readonly<Record<string, string>> = {
  max_output_tokens: 'maxOutputTokens',
  seed: 'seed',
  stop_sequences: 'stopSequences',
  temperature: 'temperature',
  top_p: 'topP',
  image_config: 'imageConfig',
};

function readConfig(f: Fields): Json {
  const given = f.object('generation_config');
  if (!given) return {};
  const level = given.text('thinking_level');
  const summaries = given.text('thinking_summaries');
  const [voice] = given.oneOrMore('speech_config') ?? [];
  const thinking = {
    ...(level !== undefined && { thinkingLevel: level.toUpperCase() }),
    ...(summaries !== undefined && { includeThoughts: summaries !== 'none' }),
  };
  const own = new Set(['thinking_level', 'thinking_summaries', 'speech_config', 'tool_choice']);
  const renamed = Object.entries(given.json).flatMap(([name, value]): [string, unknown][] => {
    if (own.has(name) || value == null) return [];
    return [[lookUp(config, name) ?? given.fail(name, 'left out: it is not served'), value]];
  });
  return {
    ...Object.fromEntries(renamed),
    ...speechConfig(voice?.text('voice')),
    ...(Object.keys(thinking).length > 0 && { thinkingConfig: thinking }),
  };
}

function readFormats(formats: readonly Fields[], modalities: readonly string[], mime: string | undefined): Json {
  const text = formats.find((one) => one.text('type') === 'text');
  const others = formats.flatMap((one) => one.text('type') ?? []).filter((type) => type !== 'text');
  const made = [...modalities, ...others].map((one) => one.toUpperCase());
  const mimeType = text?.text('mime_type') ?? mime;
  const schema = text?.map('schema');
  return {
    ...(made.length > 0 && { responseModalities: [...new Set(made)] }),
    ...(mimeType !== undefined && { responseMimeType: mimeType }),
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
  };
}

const hosted: Readonly<Record<string, string>> = {
  google_search: 'googleSearch',
  code_execution: 'codeExecution',
  url_context: 'urlContext',
};

function readTool(tool: Fields): Json {
  const type = tool.needText('type');
  if (type !== 'function')
    return { [lookUp(hosted, type) ?? tool.fail('type', `one of function, ${Object.keys(hosted).join(', ')}`)]: {} };
  const schema = tool.map('parameters');
  const description = tool.text('description');
  return {
    functionDeclarations: [
      {
        name: tool.needText('name'),
        ...(description !== undefined && { description }),
        ...(schema && { parametersJsonSchema: schema }),
      },
    ],
  };
}

function joinedTools(tools: readonly Json[]): Json[] {
  const functionDeclarations = tools.flatMap((tool) => listOr(tool['functionDeclarations']));
  const others = tools.filter((tool) => !('functionDeclarations' in tool));
  return functionDeclarations.length > 0 ? [...others, { functionDeclarations }] : others;
}

function readChoice(f: Fields): Json {
  const given = f.object('generation_config');
  const value = given?.any('tool_choice');
  if (!given || value === undefined) return {};
  const allowed = isObject(value) ? new Fields(value, given.at('tool_choice')).object('allowed_tools') : undefined;
  const mode = isObject(value) ? (allowed?.text('mode') ?? 'auto') : given.text('tool_choice');
  const names = allowed?.texts('tools') ?? [];
  const functionCallingConfig = {
    mode: mode?.toUpperCase(),
    ...(names.length > 0 && { allowedFunctionNames: names }),
  };
  return { toolConfig: { functionCallingConfig } };
}

/** A text, contents of one turn, or the steps of several. */
function readInput(f: Fields): Json[] {
  const input = f.any('input') ?? f.missing('input');
  if (typeof input === 'string') return [{ role: 'user', parts: [{ text: input }] }];
  const given = f.oneOrMore('input') ?? [];
  if (given.length === 0) f.fail('input', 'a text or a list with at least one step');
  const contents: { role: string; parts: Json[] }[] = [];
  const names = new Map<string, string>();
  /** A signature belongs to the part behind it. */
  let signature: string | undefined;
  const add = (role: string, parts: readonly Json[]): void => {
    const signed = parts.map((part, i): Json => {
      if (i > 0 || role !== 'model' || signature === undefined) return part;
      return { ...part, thoughtSignature: signature };
    });
    if (role === 'model' && parts.length > 0) signature = undefined;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...signed);
    else contents.push({ role, parts: signed });
  };
  for (const step of given) {
    const type = step.needText('type');
    if (type === 'user_input') add('user', (step.objects('content') ?? []).map(readContent));
    else if (type === 'model_output') add('model', (step.objects('content') ?? []).map(readContent));
    else if (type === 'thought') signature = step.text('signature');
    else if (type === 'function_call') {
      const [id, name] = [step.needText('id'), step.needText('name')];
      names.set(id, name);
      add('model', [{ functionCall: { id, name, args: step.map('arguments') ?? {} } }]);
    } else if (type === 'function_result') add('user', [readResult(step, names)]);
    else add('user', [readContent(step)]);
  }
  return contents;
}

function readResult(step: Fields, names: ReadonlyMap<string, string>): Json {
  const id = step.needText('call_id');
  const name = step.text('name') ?? names.get(id) ?? step.missing('name');
  const result = step.any('result') ?? step.missing('result');
  const text = Array.isArray(result)
    ? result.map((one) => textOr(objectOr(one)['text'], '')).join('')
    : textOr(result, '');
  const output = isObject(result) ? writeOutput(JSON.stringify(result)) : writeOutput(text);
  return { functionResponse: { id, name, response: step.flag('is_error') ? { error: output } : output } };
}

function readContent(content: Fields): Json {
  const type = content.oneOf('type', ['text', 'image', 'audio', 'video', 'document']) ?? content.missing('type');
  if (type === 'text') return { text: content.text('text') ?? content.missing('text') };
  const mimeType = content.text('mime_type');
  const data = content.text('data');
  if (data !== undefined) return { inlineData: { mimeType: mimeType ?? content.missing('mime_type'), data } };
  return { fileData: { fileUri: content.needText('uri'), ...(mimeType !== undefined && { mimeType }) } };
}

interface InteractionFacts {
  id: string;
  model: string;
  /** ISO 8601. */
  created: string;
  previousId: string | undefined;
}

/** Steps and events of an interaction, from what generateContent answers. */
export class InteractionReply {
  readonly #facts: InteractionFacts;
  readonly #steps: Json[] = [];
  /** The model's turn as generateContent takes it back. */
  readonly #parts: Json[] = [];
  #open: 'model_output' | 'thought' | undefined;
  #finish: string | undefined;
  #calls = 0;
  #usage: Json | undefined;

  constructor(facts: InteractionFacts) {
    this.#facts = facts;
  }

  /** The turn of the model. */
  get content(): Json {
    return { role: 'model', parts: this.#parts };
  }

  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** The whole interaction. */
  get interaction(): Json {
    const { previousId } = this.#facts;
    const text = this.#steps.flatMap(({ type, content }) =>
      type === 'model_output' ? listOr(content).map((one) => textOr(objectOr(one)['text'], '')) : [],
    );
    return {
      ...this.#shell(this.#status()),
      ...(previousId !== undefined && { previous_interaction_id: previousId }),
      steps: this.#steps,
      output_text: text.join(''),
      ...(this.#usage && { usage: this.#usage }),
    };
  }

  created(): Json[] {
    return [{ event_type: 'interaction.created', interaction: this.#shell('in_progress') }];
  }

  /** The events of one reply, or of one part of a stream. */
  read(json: Json): Json[] {
    const [candidate] = listOr(json['candidates']).map(objectOr);
    const usage = json['usageMetadata'];
    if (isObject(usage)) this.#usage = writeUsage(usage);
    const blocked = textOr(objectOr(json['promptFeedback'])['blockReason'], '');
    const reason = textOr(candidate?.['finishReason'], '');
    if (reason !== '' || blocked !== '') this.#finish = reason || blocked;
    return listOr(objectOr(candidate?.['content'])['parts']).flatMap((part) => this.#part(objectOr(part)));
  }

  completed(): Json[] {
    const { steps: _, ...interaction } = this.interaction;
    return [...this.#close(), { event_type: 'interaction.completed', interaction }];
  }

  #shell(status: string): Json {
    const { id, model, created } = this.#facts;
    return { id, object: 'interaction', model, status, created, updated: created };
  }

  #status(): string {
    if (this.#finish !== 'STOP') return 'incomplete';
    return this.#calls > 0 ? 'requires_action' : 'completed';
  }

  #part(part: Json): Json[] {
    this.#keep(part);
    const signature = textOr(part['thoughtSignature'], '');
    const signed = (): Json[] =>
      signature === '' ? [] : this.#delta('thought', { type: 'thought_signature', signature });
    const call = objectOr(part['functionCall']);
    if (part['functionCall'] !== undefined) return [...signed(), ...this.#call(call)];
    const blob = objectOr(part['inlineData']);
    const text = textOr(part['text'], '');
    if (part['thought'] === true) {
      const content = { type: 'text', text };
      return [...(text === '' ? [] : this.#delta('thought', { type: 'thought_summary', content })), ...signed()];
    }
    if (typeof blob['data'] === 'string') {
      const mime_type = textOr(blob['mimeType'], 'image/png');
      const type = isSound(mime_type) ? 'audio' : 'image';
      return [...signed(), ...this.#delta('model_output', { type, mime_type, data: blob['data'] })];
    }
    return [...signed(), ...(text === '' ? [] : this.#delta('model_output', { type: 'text', text }))];
  }

  #call({ id, name, args }: Json): Json[] {
    const step = { type: 'function_call', id: textOr(id, '') || newCallId(), name, arguments: objectOr(args) };
    this.#calls++;
    const before = this.#close();
    const index = this.#steps.push(step) - 1;
    const delta = { type: 'arguments_delta', arguments: JSON.stringify(step.arguments) };
    return [
      ...before,
      { event_type: 'step.start', index, step: { ...step, arguments: {} } },
      { event_type: 'step.delta', index, delta },
      { event_type: 'step.stop', index },
    ];
  }

  #delta(type: 'model_output' | 'thought', delta: Json): Json[] {
    const events = this.#open === type ? [] : this.#begin(type);
    const index = this.#steps.length - 1;
    this.#add(objectOr(this.#steps[index]), delta);
    return [...events, { event_type: 'step.delta', index, delta }];
  }

  #begin(type: 'model_output' | 'thought'): Json[] {
    const before = this.#close();
    this.#open = type;
    const index = this.#steps.push(type === 'thought' ? { type, summary: [] } : { type, content: [] }) - 1;
    return [...before, { event_type: 'step.start', index, step: { type } }];
  }

  #close(): Json[] {
    if (this.#open === undefined) return [];
    this.#open = undefined;
    return [{ event_type: 'step.stop', index: this.#steps.length - 1 }];
  }

  #add(step: Json, delta: Json): void {
    if (delta['type'] === 'thought_signature') step['signature'] = delta['signature'];
    else {
      const one = delta['type'] === 'thought_summary' ? objectOr(delta['content']) : delta;
      const list = listOr(step[delta['type'] === 'thought_summary' ? 'summary' : 'content']);
      const last = objectOr(list.at(-1));
      if (one['type'] === 'text' && last['type'] === 'text')
        last['text'] = textOr(last['text'], '') + textOr(one['text'], '');
      else list.push({ ...one });
    }
  }

  /** Texts in a row are one part. */
  #keep(part: Json): void {
    const last = this.#parts.at(-1);
    const isPlain = (one: Json): boolean => Object.keys(one).length === 1 && typeof one['text'] === 'string';
    if (last && isPlain(last) && isPlain(part)) last['text'] = textOr(last['text'], '') + textOr(part['text'], '');
    else if (part['text'] !== '' || part['thoughtSignature'] !== undefined) this.#parts.push({ ...part });
  }
}

function writeUsage(usage: Json): Json {
  const count = (name: string): number => (typeof usage[name] === 'number' ? usage[name] : 0);
  return {
    total_input_tokens: count('promptTokenCount'),
    total_output_tokens: count('candidatesTokenCount'),
    total_thought_tokens: count('thoughtsTokenCount'),
    total_cached_tokens: count('cachedContentTokenCount'),
    total_tool_use_tokens: count('toolUsePromptTokenCount'),
    total_tokens: count('totalTokenCount'),
  };
}
