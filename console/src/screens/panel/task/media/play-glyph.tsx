/** The sign on the round button: a triangle, or two bars while it plays. */
export function PlayGlyph({ playing }: { playing: boolean }) {
  return (
    <svg aria-hidden viewBox="0 0 24 24" fill="currentColor" className="size-4">
      <path d={playing ? 'M6 4h4v16H6zM14 4h4v16h-4z' : 'M7 4l14 8-14 8z'} />
    </svg>
  );
}
