import type { Plugin } from 'vite';

const stylesheet = /\s*<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g;

/** Puts the stylesheet behind the splash, which has its own few rules: it is painted while the rest is on the way. */
export function lateStyles(): Plugin {
  return {
    name: 'late-styles',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const links = [...html.matchAll(stylesheet)];
        const hints = links.map(([, href = '']) => `<link rel="preload" as="style" crossorigin href="${href}">`);
        return html
          .replaceAll(stylesheet, '')
          .replace('</title>', `</title>${hints.join('')}`)
          .replace('</body>', `${links.map(([link]) => link.trim()).join('')}</body>`);
      },
    },
  };
}
