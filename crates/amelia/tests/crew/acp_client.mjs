// A client of the official library: starts `amelia acp`, sends a task, approves the plan, and prints what it has seen.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [program, directory] = process.argv.slice(2);
const child = spawn(program, ["acp"], { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const seen = { kinds: [], text: "", asked: null };
const { agent, client } = acp.methods;

const app = acp
  .client({ name: "test" })
  .onRequest(client.session.requestPermission, ({ params: { toolCall, options } }) => {
    seen.asked = toolCall.title;
    const yes = options.find((option) => option.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: yes.optionId } };
  })
  .onNotification(client.session.update, ({ params: { update } }) => {
    if (!seen.kinds.includes(update.sessionUpdate)) seen.kinds.push(update.sessionUpdate);
    if (update.sessionUpdate === "agent_message_chunk") seen.text += update.content.text;
  });

await app.connectWith(stream, async (amelia) => {
  const hello = await amelia.request(agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
  });
  const { sessionId } = await amelia.request(agent.session.new, { cwd: directory, mcpServers: [] });
  const prompt = [{ type: "text", text: "It does not add" }];
  const { stopReason } = await amelia.request(agent.session.prompt, { sessionId, prompt });
  console.log(JSON.stringify({ ...seen, stopReason, agent: hello.agentInfo.name }));
});
child.stdin.end();
