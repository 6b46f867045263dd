/** Splits server-sent events; returns the data of each. Every character is looked at once, however long a line is. */
export class EventReader {
  #line: string[] = [];
  #data: string[] = [];

  /** The data of the events that `text` completes. */
  feed(text: string): string[] {
    const events: string[] = [];
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.#line.push(text.slice(from, at));
      from = at + 1;
      this.#endLine(events);
    }
    if (from < text.length) this.#line.push(text.slice(from));
    return events;
  }

  /** The data of an event that the stream ended without completing. */
  end(): string[] {
    const events: string[] = [];
    this.#endLine(events);
    this.#endEvent(events);
    return events;
  }

  #endLine(events: string[]): void {
    const joined = this.#line.join('');
    this.#line = [];
    const line = joined.endsWith('\r') ? joined.slice(0, -1) : joined;
    if (line === '') this.#endEvent(events);
    else if (line.startsWith('data:')) this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  }

  #endEvent(events: string[]): void {
    if (this.#data.length > 0) events.push(this.#data.join('\n'));
    this.#data = [];
  }
}
