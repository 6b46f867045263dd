import { useRef, useState } from 'react';

const tokens = ['--color-text2', '--color-accent', '--font-sans'];

/** The page around the operator's HTML: our type and colours, links in a new tab, nothing that runs. */
function pageOf(html: string): string {
  const style = getComputedStyle(document.documentElement);
  const [text, accent, font] = tokens.map((token) => style.getPropertyValue(token));
  return `<!doctype html><html><head><meta charset="utf-8"><base target="_blank"><style>
body{margin:0;overflow-wrap:anywhere;color:${text};font:400 14px/1.6 ${font}}a{color:${accent}}img,video{max-width:100%}
</style></head><body>${html}</body></html>`;
}

/** HTML of the operator in a frame of its own, without scripts; it is as high as its content. */
export function OperatorHtml({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(0);
  const measure = () => {
    const page = frame.current?.contentDocument;
    if (!page) return;
    const read = () => setHeight(page.documentElement.getBoundingClientRect().height);
    new ResizeObserver(read).observe(page.documentElement);
    read();
  };
  // Same origin only lets us measure it: without allow-scripts nothing in it can run.
  return (
    <iframe
      ref={frame}
      title={title}
      srcDoc={pageOf(html)}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      onLoad={measure}
      style={{ height }}
      className="block w-full"
    />
  );
}
