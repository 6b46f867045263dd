export const texts = {
  title: '实际提供的服务',
  text: '按上游在回复中的说法统计，点击次数可打开最近一次调用。',
  calls: '{{calls}} 次',
  none: '这段时间没有成功的调用。',
  asAsked: '与请求一致',
  alike: '回复中的模型名：{{model}}',
  other: '回复中是另一个模型：{{model}}',
  tier: '请求的服务层级 {{asked}}，实际 {{served}}',
  usage: {
    none: '回复没有用量，按估算计费',
    unusual: '用量与内容相差很大',
    implausible: '用量超出可能的范围',
  },
  fingerprint: '系统指纹 {{fingerprint}}，首次出现',
};
