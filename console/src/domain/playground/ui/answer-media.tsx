import { Download } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';

/** Images, sounds and videos of an answer, each with a download. */
export function AnswerMedia({ media }: { media: readonly string[] }) {
  const { t } = useTranslation('playground');
  return (
    <ul className="mt-1 flex flex-wrap gap-3">
      {media.map((address, index) => {
        const isSound =
          address.startsWith('data:audio/') ||
          address.startsWith('data:application/octet-stream') ||
          address.endsWith('#audio');
        const isVideo = address.endsWith('#video');
        const isKnown = isSound || /^(?:data:image\/|https:|\/media\/)/.test(address);
        if (!isKnown) return null;
        return (
          <li key={index} className="flex min-w-0 flex-col items-start gap-2">
            {isSound ? (
              // oxlint-disable-next-line jsx-a11y/media-has-caption -- its text is the message above
              <audio controls src={address} className="max-w-full" aria-label={t('sound')} />
            ) : isVideo ? (
              // oxlint-disable-next-line jsx-a11y/media-has-caption -- made without one
              <video controls src={address} aria-label={t('video')} className="max-h-100 max-w-full rounded-card" />
            ) : (
              <img
                src={address}
                alt={t('imageNumber', { number: index + 1 })}
                referrerPolicy="no-referrer"
                className="max-h-100 min-h-16 min-w-16 max-w-full rounded-card border border-line object-contain"
              />
            )}
            <Button
              size="sm"
              icon={Download}
              render={<a href={address} download={fileName(address, index)} target="_blank" rel="noreferrer" />}
            >
              {t('download')}
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

const endings = { audio: 'mp3', video: 'mp4', image: 'png' };

function fileName(address: string, index: number): string {
  const [, made] = /#(audio|video|image)$/.exec(address) ?? [];
  if (made) return `answer-${index + 1}.${endings[made as keyof typeof endings]}`; // its three matches
  const [, kind = 'png'] = /^data:(?:image|audio)\/([\w.-]+)/.exec(address) ?? [];
  return `answer-${index + 1}.${kind === 'mpeg' ? 'mp3' : kind}`;
}
