import type { Act, Answer } from './screen-acts.ts';

/** An address to capture, and the interaction before the picture is taken. */
export interface Screen {
  name: string;
  address: string;
  /** Account that sees the screen; root by default. */
  as?: 'visitor' | 'user';
  /** Empty without data: captured on the filled hub only. */
  dataOnly?: true;
  only?: 'desktop' | 'phone';
  /** No cached data from earlier pages. */
  firstVisit?: true;
  /** Mocked replies by address, from the start. */
  answers?: Readonly<Record<string, Answer>>;
  act?: Act;
}
