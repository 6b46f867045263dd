import type { ProblemTexts } from '../text-types.ts';

export const problems: ProblemTexts = {
  required: '必填',
  kinds: { text: '文本', number: '数字', whole: '整数', flag: 'true 或 false', list: '列表', object: '对象' },
  expected: (kind) => `必须是${kind}`,
  atLeast: {
    characters: (limit) => (limit === '1' ? '不能为空' : `至少需要 ${limit} 个字符`),
    entries: (limit) => `至少需要 ${limit} 项`,
    number: (limit) => `不能小于 ${limit}`,
  },
  atMost: {
    characters: (limit) => `最多 ${limit} 个字符`,
    entries: (limit) => `最多 ${limit} 项`,
    number: (limit) => `不能大于 ${limit}`,
  },
  above: (limit) => `必须大于 ${limit}`,
  below: (limit) => `必须小于 ${limit}`,
  multiple: (of) => `必须是 ${of} 的倍数`,
  oneOf: (values) => `只能是以下之一：${values}`,
  unknownKeys: (keys) => `含有未知字段：${keys}`,
  ignored: (field) => `${field}：此请求不接受该字段，已忽略`,
  format: '格式不正确',
  invalid: '值无效',
};
