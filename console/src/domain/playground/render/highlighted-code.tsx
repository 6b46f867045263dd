import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { memo, type ReactNode } from 'react';

const languages = { bash, cpp: c, css, go, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const colours: Record<string, string> = {
  keyword: 'text-accent',
  built_in: 'text-accent',
  literal: 'text-accent',
  type: 'text-accent',
  tag: 'text-accent',
  string: 'text-ok',
  regexp: 'text-ok',
  symbol: 'text-ok',
  number: 'text-warn',
  attr: 'text-ice',
  attribute: 'text-ice',
  property: 'text-ice',
  comment: 'text-text3',
  quote: 'text-text3',
  meta: 'text-text3',
  title: 'text-ice',
  section: 'text-ice',
  addition: 'text-ok',
  deletion: 'text-bad',
};

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** Code with the colours of its language; unknown languages have none. */
export const HighlightedCode = memo(function HighlightedCode({ language, text }: { language: string; text: string }) {
  if (!hljs.getLanguage(language)) return text;
  return elementsOf(hljs.highlight(text, { language, ignoreIllegals: true }).value);
});

/** The highlighter writes spans with a class and escaped text, nothing else; React elements replace them. */
function elementsOf(html: string): ReactNode[] {
  const open: { look: string; children: ReactNode[] }[] = [{ look: '', children: [] }];
  let key = 0;
  for (const [piece, name] of html.matchAll(/<span class="hljs-([\w-]+)[^"]*">|<\/span>|<span[^>]*>|[^<]+/g)) {
    const inner = open.at(-1);
    if (piece.startsWith('<span')) open.push({ look: colours[name ?? ''] ?? '', children: [] });
    else if (piece === '</span>' && inner && open.length > 1) {
      open.pop();
      open.at(-1)?.children.push(
        <span key={++key} className={inner.look}>
          {inner.children}
        </span>,
      );
    } else
      inner?.children.push(piece.replace(/&(amp|lt|gt|quot|#x27);/g, (_, entity: string) => entities[entity] ?? ''));
  }
  return open[0]?.children ?? [];
}
