import { createStore } from './store.ts';

export interface Connection {
  online: boolean;
  /** When the server last answered, in milliseconds; undefined before its first answer. */
  answeredAt: number | undefined;
  /** Calls in a row without an answer. */
  failures: number;
}

export const connection = createStore<Connection>({ online: true, answeredAt: undefined, failures: 0 });

export function reportAnswer(): void {
  connection.set({ online: true, answeredAt: Date.now(), failures: 0 });
}

export function reportNoAnswer(): void {
  const { answeredAt, failures } = connection.get();
  connection.set({ online: false, answeredAt, failures: failures + 1 });
}
