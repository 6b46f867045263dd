import { OperatorHtml } from './operator-html.tsx';
import { RichText } from './rich-text.tsx';

const isAddress = (content: string) => /^https?:\/\/\S+$/.test(content) && URL.canParse(content);
const isHtml = (content: string) => /^<[a-z!]/i.test(content);

/** Content of an operator that replaces a page: an address is shown in a frame, HTML without scripts, other text as rich text. */
export function OperatorContent({ content, title }: { content: string; title: string }) {
  const trimmed = content.trim();
  if (isAddress(trimmed)) return <Framed address={trimmed} title={title} />;
  if (isHtml(trimmed)) return <OperatorHtml html={trimmed} title={title} />;
  return <RichText text={trimmed} />;
}

function Framed({ address, title }: { address: string; title: string }) {
  // A page of the same origin must not access the console from its frame.
  const foreign = new URL(address).origin !== location.origin;
  return (
    <iframe
      src={address}
      title={title}
      sandbox={`allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox${foreign ? ' allow-same-origin' : ''}`}
      referrerPolicy="no-referrer"
      className="block min-h-[70vh] w-full flex-1 rounded-card border border-line bg-card"
    />
  );
}
