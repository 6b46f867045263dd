import { memo } from 'react';

const PIECE = 8000;

/** Long text in pieces that the browser lays out only while they are on screen. */
export const PlainText = memo(function PlainText({ text }: { text: string }) {
  const pieces = Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  );
  return pieces.map((piece, index) => (
    <div
      key={index}
      className="break-all whitespace-pre-wrap [contain-intrinsic-size:auto_600px] [content-visibility:auto]"
    >
      {piece}
    </div>
  ));
});
