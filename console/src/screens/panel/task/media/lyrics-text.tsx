/** Lyrics line by line; `[Chorus]` and the like are quieter. */
export function LyricsText({ text }: { text: string }) {
  return (
    <div className="rounded-control border border-line bg-sunk px-4 py-3 text-13/5">
      {text.split('\n').map((line, index) => (
        <p key={index} className={/^\[.*\]$/.test(line.trim()) ? 'text-text2' : 'min-h-5 break-words'}>
          {line}
        </p>
      ))}
    </div>
  );
}
