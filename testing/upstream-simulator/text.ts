import type { Behaviour } from './behaviour.ts';

const greeting = ['Hello!', ' How', ' can', ' I', ' help', ' you', ' today?'];
const filler = [
  ...greeting,
  ' Ask',
  ' me',
  ' anything',
  ' and',
  ' I',
  ' will',
  ' answer',
  ' as',
  ' well',
  ' as',
  ' I',
  ' can.',
];
const manyBytes = ['Grüße', ' aus', ' Köln!', ' 你好', '世界', ' 👋🏽', ' ¿Qué', ' tal?'];

const made = new Map<string, readonly string[]>();

/** The answer's text in deterministic pieces. */
export function piecesOf(behaviour: Behaviour): readonly string[] {
  const { text, chunks, chunkBytes, fault } = behaviour;
  if (text !== undefined) return text.split(/(?<=\S)(?=\s)/);
  if (fault === 'splitUtf8') return manyBytes;
  if (chunks === undefined && chunkBytes === undefined) return greeting;
  const key = `${chunks}/${chunkBytes}`;
  let pieces = made.get(key);
  if (!pieces) {
    pieces = makePieces(chunks ?? greeting.length, chunkBytes);
    if (made.size >= 50) made.clear();
    made.set(key, pieces);
  }
  return pieces;
}

function makePieces(count: number, bytes: number | undefined): string[] {
  const pieces = Array.from({ length: count }, (_, i) => filler[i % filler.length] ?? '');
  return bytes === undefined
    ? pieces
    : pieces.map((piece) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes));
}

/** Words in a text, without splitting it, because prompts can be long. */
export function countWords(text: string): number {
  let words = 0;
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const blank = text.charCodeAt(i) <= 32;
    if (!blank && !inside) words++;
    inside = !blank;
  }
  return words;
}
