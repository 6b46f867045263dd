import { Fragment, type ReactNode } from 'react';

/** A text with elements in the places that it names in single braces: `developed by {author}`. */
export function Filled({ text, parts }: { text: string; parts: Record<string, ReactNode> }) {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, index) => <Fragment key={index}>{index % 2 === 0 ? piece : parts[piece]}</Fragment>);
}
