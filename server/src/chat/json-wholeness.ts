/** Detects when a JSON object received in pieces is complete, without storing it. */
export class JsonWholeness {
  #depth = 0;
  #begun = false;
  #inText = false;
  #escaped = false;

  add(piece: string): void {
    for (const letter of piece) {
      if (this.#escaped) this.#escaped = false;
      else if (this.#inText) {
        if (letter === '\\') this.#escaped = true;
        else if (letter === '"') this.#inText = false;
      } else if (letter === '"') this.#inText = true;
      else if (letter === '{' || letter === '[') this.#open();
      else if (letter === '}' || letter === ']') this.#depth--;
    }
  }

  get whole(): boolean {
    return this.#begun && this.#depth <= 0 && !this.#inText;
  }

  #open(): void {
    this.#begun = true;
    this.#depth++;
  }
}
