#!/usr/bin/env escript
%%! +fnu
%% Erlang's ssh_sftp as ERP programmers use it: ssh_sftp_client.escript PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...

main(["version"]) ->
    ok = application:load(ssh),
    {ok, Version} = application:get_key(ssh, vsn),
    io:format("~s~n", [Version]);
main([Port, _KnownHosts, Login, Password, Verb | Arguments]) ->
    {ok, _} = application:ensure_all_started(ssh),
    Options = [{user, Login}, {password, Password}, {silently_accept_hosts, true}, {save_accepted_host, false},
               {user_interaction, false}, {auth_methods, "password"}],
    {ok, Sftp, Connection} = ssh_sftp:start_channel("127.0.0.1", list_to_integer(Port), Options),
    Result = run(Verb, Sftp, Arguments),
    ssh:close(Connection),
    case Result of
        ok -> halt(0);
        Error -> io:format(standard_error, "~tp~n", [Error]), halt(1)
    end.

run("put", Sftp, [Local, Remote]) ->
    {ok, Bytes} = file:read_file(Local),
    ssh_sftp:write_file(Sftp, Remote, Bytes);
run("putBeside", Sftp, [Local, Temporary, Remote]) ->
    case run("put", Sftp, [Local, Temporary]) of
        ok -> ssh_sftp:rename(Sftp, Temporary, Remote);
        Error -> Error
    end;
run("putKeeping", Sftp, [Local, Remote]) ->
    ok = run("put", Sftp, [Local, Remote]),
    {ok, Info} = ssh_sftp:read_file_info(Sftp, Remote),
    %% The mode is the eighth of its fields.
    ssh_sftp:write_file_info(Sftp, Remote, setelement(8, Info, 8#640));
run("resume", Sftp, [Local, Remote]) ->
    {ok, Bytes} = file:read_file(Local),
    {ok, Info} = ssh_sftp:read_file_info(Sftp, Remote),
    Start = element(2, Info),
    {ok, Handle} = ssh_sftp:open(Sftp, Remote, [write, read, binary]),
    {ok, Start} = ssh_sftp:position(Sftp, Handle, Start),
    ok = write(Sftp, Handle, binary:part(Bytes, Start, byte_size(Bytes) - Start)),
    ssh_sftp:close(Sftp, Handle);
run("list", Sftp, [Folder]) ->
    {ok, Names} = ssh_sftp:list_dir(Sftp, Folder),
    [io:format("~ts~n", [Name]) || Name <- Names],
    ok;
run("get", Sftp, [Remote, Local]) ->
    case ssh_sftp:read_file(Sftp, Remote) of
        {ok, Bytes} -> file:write_file(Local, Bytes);
        Error -> Error
    end;
run("remove", Sftp, [Remote]) -> ssh_sftp:delete(Sftp, Remote);
run("rename", Sftp, [From, To]) -> ssh_sftp:rename(Sftp, From, To);
run("makeFolder", Sftp, [Path]) -> ssh_sftp:make_dir(Sftp, Path).

%% In pieces that fit into a packet.
write(Sftp, Handle, <<Piece:32768/binary, Rest/binary>>) ->
    ok = ssh_sftp:write(Sftp, Handle, Piece),
    write(Sftp, Handle, Rest);
write(Sftp, Handle, Last) ->
    ssh_sftp:write(Sftp, Handle, Last).
