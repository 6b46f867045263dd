import { ExternalLink, Search } from 'lucide-react';
import { useId, useState, type Ref } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { Mark } from '#ui/basic/mark.tsx';
import type { Tool } from './tools/tool.ts';
import { toolGroups, tools } from './tools/tools.ts';

interface Props {
  ref: Ref<HTMLInputElement>;
  toolId: string;
  onTool: (id: string) => void;
}

/** The tools by use, with a search. One stop of the Tab key; the arrow keys select. */
export function ToolList({ ref, toolId, onTool }: Props) {
  const { t } = useTranslation('connect');
  const [text, setText] = useState('');
  const name = useId();
  const wanted = text.trim().toLowerCase();
  const found = tools.filter((tool) => tool.name.toLowerCase().includes(wanted));
  return (
    <>
      <div className="px-5 pt-4.5 pb-2.5 text-16 font-title">{t('title')}</div>
      <div className="relative mx-3">
        <Icon of={Search} className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-text3" />
        <input
          ref={ref}
          type="search"
          className="box pl-8.5"
          aria-label={t('search')}
          placeholder={t('count', { count: tools.length })}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            const [first] = found;
            if (event.key === 'Enter' && first) onTool(first.id);
          }}
        />
      </div>
      <div
        role="radiogroup"
        aria-label={t('tool')}
        className="min-h-0 flex-1 overflow-y-auto px-3 pb-3 [scrollbar-width:thin]"
      >
        {toolGroups.map((group) => {
          const own = found.filter((tool) => tool.group === group);
          if (own.length === 0) return null;
          return (
            <div key={group} role="group" aria-label={t(`groups.${group}`)}>
              <div className="px-2 pt-3 pb-1 text-12 text-text3">{t(`groups.${group}`)}</div>
              {own.map((tool) => (
                <ToolLine key={tool.id} tool={tool} name={name} chosen={tool.id === toolId} onTool={onTool} />
              ))}
            </div>
          );
        })}
        {found.length === 0 && <p className="px-2 pt-3 text-13 text-text3">{t('noneFound')}</p>}
      </div>
    </>
  );
}

interface LineProps {
  tool: Tool;
  /** Of the radio group. */
  name: string;
  chosen: boolean;
  onTool: (id: string) => void;
}

function ToolLine({ tool, name, chosen, onTool }: LineProps) {
  const { t } = useTranslation('connect');
  return (
    <label
      className={cx(
        'relative flex h-8.5 cursor-pointer items-center gap-2.5 rounded-control px-2 text-13',
        'has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus',
        chosen ? 'bg-fill font-title text-text' : 'text-text hover:bg-hover',
      )}
    >
      <input
        type="radio"
        name={name}
        value={tool.id}
        checked={chosen}
        onChange={() => onTool(tool.id)}
        className="absolute inset-0 cursor-pointer appearance-none outline-none"
      />
      <Mark name={tool.name} mark={tool.mark} size={20} />
      <span className="min-w-0 flex-1 truncate">{tool.name}</span>
      {tool.links && (
        <>
          <Icon of={ExternalLink} size={14} className="text-text3" />
          <span className="sr-only">{t('hasLink')}</span>
        </>
      )}
    </label>
  );
}
