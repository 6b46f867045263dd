import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';

/** A conversation as a simulated model reads it, oldest step first. */
export type Step =
  | { kind: 'user' | 'model'; text: string }
  | { kind: 'call'; id: string; name: string }
  | { kind: 'result'; id: string; text: string };

export interface OfferedTool {
  name: string;
  schema: unknown;
}

export interface ModelTurn {
  steps: Step[];
  tools: OfferedTool[];
  /** Name of the tool that must be called; empty: any. */
  forced?: string | undefined;
  /** JSON schema of the answer. */
  schema?: unknown;
  reasons: boolean;
}

export interface Move {
  reasoning: string;
  text: string;
  calls: { name: string; input: Json }[];
}

/** Tokens of a simulated call; `cached` is part of `prompt`, `reasoning` of `completion`. */
export interface CountedTokens {
  prompt: number;
  cached: number;
  completion: number;
  reasoning: number;
}

/**
 * Commands in the text of a user. `[[look up Paris, Rome]]` calls a tool with `city` for each; `[[run …]]` a shell tool;
 * `[[hand over]]` a handoff tool first; `[[recall]]` is answered from what was said and looked up before.
 */
export const commands = {
  lookUp: /\[\[look up ([^\]]+)\]\]/,
  run: /\[\[run ([^\]]+)\]\]/,
  handOver: /\[\[hand over\]\]/,
  recall: /\[\[recall\]\]/,
};

/** Text that `[[recall]]` looks for. */
const secret = /The word is (\S+?)\./;

const shellTools = /^(bash|shell|shell_command|exec_command|run_shell_command|local_shell|terminal)$/i;
const handoffTools = /^transfer_to_/;

const isCommand = (step: Step): boolean =>
  step.kind === 'user' && Object.values(commands).some((command) => command.test(step.text));

/** The deterministic model behind every simulated vendor. */
export function nextMove(asked: ModelTurn): Move {
  const reasoning = asked.reasons ? `I think about step ${asked.steps.length}.` : '';
  const said = (text: string): Move => ({ reasoning, text, calls: [] });
  const called = (...calls: Move['calls']): Move => ({ reasoning, text: '', calls });
  if (asked.forced !== undefined) {
    const tool = asked.tools.find(({ name }) => asked.forced === '' || name === asked.forced);
    if (tool && asked.steps.at(-1)?.kind !== 'result')
      return called({ name: tool.name, input: objectOr(sampleOf(tool.schema)) });
  }
  if (asked.schema !== undefined) return said(JSON.stringify(sampleOf(asked.schema)));
  const at = asked.steps.findLastIndex(isCommand);
  const order = asked.steps[at];
  if (order?.kind !== 'user') return said('Hello from the simulated model.');

  const after = asked.steps.slice(at + 1);
  const handoff = asked.tools.find(({ name }) => handoffTools.test(name));
  const isHandedOver = after.some((step) => step.kind === 'call' && handoffTools.test(step.name));
  if (commands.handOver.test(order.text) && handoff && !isHandedOver) return called({ name: handoff.name, input: {} });

  const handoffs = new Set(
    after.flatMap((step) => (step.kind === 'call' && handoffTools.test(step.name) ? step.id : [])),
  );
  const results = resultsIn(after).filter(({ id }) => !handoffs.has(id));
  const [, cities] = commands.lookUp.exec(order.text) ?? [];
  const [, command] = commands.run.exec(order.text) ?? [];
  if (results.length > 0) return said(`The tools say: ${results.map(({ text }) => text).join('; ')}`);
  if (cities !== undefined) {
    const tool = asked.tools.find(({ name, schema }) => !handoffTools.test(name) && hasProperty(schema, 'city'));
    if (tool) return called(...cities.split(', ').map((city) => ({ name: tool.name, input: { city } })));
    return said('No tool knows cities.');
  }
  if (command !== undefined) {
    const tool = asked.tools.find(({ name }) => shellTools.test(name));
    return tool ? called({ name: tool.name, input: shellInput(tool, command) }) : said('There is no shell.');
  }
  return said(recalled(asked.steps));
}

const resultsIn = (steps: readonly Step[]): { id: string; text: string }[] =>
  steps.flatMap((step) => (step.kind === 'result' ? { id: step.id, text: step.text.trim() } : []));

/** The proof that the whole conversation is here: the secret word, and every result. */
function recalled(steps: readonly Step[]): string {
  const words = steps.flatMap((step) => (step.kind === 'user' ? (secret.exec(step.text)?.[1] ?? []) : []));
  if (words.length === 0) return 'I know nothing of it.';
  return `The word was ${words.join(', ')}. I learnt: ${resultsIn(steps)
    .map(({ text }) => text)
    .join('; ')}`;
}

const propertiesOf = (schema: unknown): Json => objectOr(objectOr(schema)['properties']);
const hasProperty = (schema: unknown, name: string): boolean => Object.hasOwn(propertiesOf(schema), name);

function shellInput({ schema }: OfferedTool, command: string): Json {
  const properties = propertiesOf(schema);
  const name = Object.hasOwn(properties, 'cmd') ? 'cmd' : 'command';
  const isList = objectOr(properties[name])['type'] === 'array';
  return { ...objectOr(sampleOf(schema)), [name]: isList ? ['bash', '-lc', command] : command };
}

/** A value that a JSON schema allows: all required members, numbers from 1 on. */
export function sampleOf(schema: unknown, root: unknown = schema): unknown {
  const { type, properties, required, items, ...more } = objectOr(schema);
  const reference = textOr(more['$ref'], '');
  if (reference) {
    const place = reference.replace(/^#\//, '').split('/');
    return sampleOf(
      place.reduce<unknown>((at, name) => objectOr(at)[name], root),
      root,
    );
  }
  const options = [...listOr(more['anyOf']), ...listOr(more['oneOf']), ...listOr(more['allOf'])];
  if (options.length > 0) return sampleOf(options[0], root);
  if (more['const'] !== undefined) return more['const'];
  if (listOr(more['enum']).length > 0) return listOr(more['enum'])[0];
  const kind = String(
    Array.isArray(type) ? type[0] : (type ?? (isObject(properties) ? 'object' : 'string')),
  ).toLowerCase();
  if (kind === 'object') {
    const names = listOr(required).map(String);
    return Object.fromEntries(names.map((name) => [name, sampleOf(objectOr(properties)[name], root)]));
  }
  if (kind === 'array') return [sampleOf(items, root)];
  if (kind === 'integer' || kind === 'number') return typeof more['minimum'] === 'number' ? more['minimum'] : 1;
  if (kind === 'boolean') return false;
  return kind === 'null' ? null : 'sample';
}

/** About four characters per token; half of the prompt is cached from the second turn on. */
export function countTokens(request: unknown, { steps }: Pick<ModelTurn, 'steps'>, move: Move): CountedTokens {
  const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
  const prompt = tokens(request);
  const reasoning = move.reasoning === '' ? 0 : tokens(move.reasoning);
  return {
    prompt,
    cached: steps.length > 1 ? Math.floor(prompt / 2) : 0,
    completion: tokens([move.text, move.calls]) + reasoning,
    reasoning,
  };
}

/** Fault in a conversation's tool calls: one without a result, or a result without its call. */
export function callFault(steps: readonly Step[]): { fault: 'unanswered' | 'unknown'; id: string } | undefined {
  let open: string[] = [];
  let known = new Set<string>();
  for (const step of steps) {
    if (step.kind === 'call') {
      known.add(step.id);
      open.push(step.id);
    } else if (step.kind === 'result') {
      if (!known.has(step.id)) return { fault: 'unknown', id: step.id };
      open = open.filter((id) => id !== step.id);
    } else {
      if (open.length > 0 && step.kind === 'user') return { fault: 'unanswered', id: open[0]! };
      if (step.kind === 'user') known = new Set();
    }
  }
  return open[0] === undefined ? undefined : { fault: 'unanswered', id: open[0] };
}
