import { Fragment, type ReactNode } from 'react';

/** Text with elements in place of names in single braces: `developed by {author}`. */
export function TextWithElements({ text, parts }: { text: string; parts: Record<string, ReactNode> }) {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, index) => <Fragment key={index}>{index % 2 === 0 ? piece : parts[piece]}</Fragment>);
}
