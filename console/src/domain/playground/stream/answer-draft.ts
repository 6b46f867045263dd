import type { ModelAnswer } from '#domain/playground/playground-types.ts';
import type { Delta } from './delta.ts';

/** An answer while it is received: it grows in place, and the page takes copies of it once per frame. */
export class AnswerDraft {
  #text: string;
  #reasoning = '';
  readonly #tools = new Map<string, { name: string; input: string }>();
  readonly #media: string[] = [];
  #facts: Partial<ModelAnswer> = {};
  readonly #start: ModelAnswer;

  constructor(start: ModelAnswer) {
    this.#start = start;
    this.#text = start.text;
  }

  add({ text, reasoning, tool, media, usage, finish, error }: Delta): void {
    if (text !== undefined) this.#text += text;
    if (reasoning !== undefined) this.#reasoning += reasoning;
    if (media !== undefined) this.#media.push(media);
    if (finish !== undefined) this.#facts.finish = finish;
    if (error !== undefined) this.#facts.error = error;
    if (usage) this.#facts.usage = { input: 0, output: 0, ...this.#facts.usage, ...usage };
    if (tool) {
      const known = this.#tools.get(tool.key) ?? { name: '', input: '' };
      this.#tools.set(tool.key, { name: known.name || (tool.name ?? ''), input: known.input + (tool.input ?? '') });
    }
  }

  note(facts: Partial<ModelAnswer>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  get hasOutput(): boolean {
    return this.#text !== '' || this.#reasoning !== '' || this.#tools.size > 0 || this.#media.length > 0;
  }

  get failed(): boolean {
    return this.#facts.error !== undefined;
  }

  get isSignedOut(): boolean {
    return this.#facts.error?.status === 401;
  }

  copy(): ModelAnswer {
    return {
      ...this.#start,
      text: this.#text,
      reasoning: this.#reasoning,
      tools: [...this.#tools.values()],
      media: [...this.#media],
      ...this.#facts,
    };
  }
}
