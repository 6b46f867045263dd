import { Link } from '@tanstack/react-router';
import { Image, Layers } from 'lucide-react';
import { useState } from 'react';
import { useServerAddress } from '#api/site.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import type { TaskScreenKind } from '#screens/panel/task/task-defaults.ts';
import { curlOf } from '#screens/panel/task/curl-of.ts';

const examples = ['music', 'video'] as const;

/** In place of an empty list: the request that makes the first task. */
export function FirstTask({ kind }: { kind: TaskScreenKind }) {
  const { t } = useTranslation('task');
  const address = useServerAddress();
  const [example, setExample] = useState<(typeof examples)[number]>('music');
  const code = {
    image: curlOf(`${address}/mj/submit/imagine`, { prompt: t('examplePrompt') }),
    music: curlOf(`${address}/suno/submit/music`, { gpt_description_prompt: t('exampleSong'), mv: 'chirp-v3-5' }),
    video: curlOf(`${address}/v1/videos`, { model: 'sora-2', prompt: t('exampleVideo'), seconds: '4' }),
  }[kind === 'image' ? 'image' : example];
  return (
    <EmptyState
      icon={kind === 'image' ? Image : Layers}
      title={t(kind === 'image' ? 'emptyImages' : 'empty')}
      text={t(kind === 'image' ? 'emptyImagesText' : 'emptyText')}
      action={
        <div className="grid w-150 max-w-[calc(100vw-80px)] grid-cols-1 justify-items-center gap-3 text-left">
          {kind === 'other' && (
            <Segmented
              label={t('example')}
              value={example}
              options={examples.map((value) => ({ value, label: t(`kinds.${value}`) }))}
              onChange={setExample}
            />
          )}
          <div className="w-full">
            <CodeBlock code={code} label={t('example')} />
          </div>
          <Button render={<Link to="/panel/token" />}>{t('emptyAction')}</Button>
        </div>
      }
    />
  );
}
