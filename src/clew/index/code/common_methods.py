"""Names of methods that libraries of a language define too.

A call of such a name on a variable of unknown type may mean the method of a library, so it is not
resolved to the only class of the project that has one.
"""

import re

from clew.index.code.families import GO, JAVA, PYTHON, RUST, SCRIPT, C, Family

_BUILT_IN_TYPES = (str, bytes, list, dict, set, int, float, tuple, type, re.Pattern, re.Match)
_DYNAMIC = """
    open close read write readline readlines flush seek tell fileno send recv throw next then
    catch finally push shift unshift slice splice concat map filter reduce forEach find some
    every includes has add set get delete keys values entries toString test exec match replace
    trim apply call bind put start stop run wait cancel result done
"""
_SCRIPT = """
    abort add addAll addEventListener addListener address adoptNode after alert anchor animate
    append appendChild apply arc arcTo arrayBuffer assert assign at attachShadow back before
    beginPath big bind blink blob blur bold build bytes call cancel catch charAt charCodeAt
    check checkValidity clean clear click clone cloneNode close closePath closest codePointAt
    collapse collapseToEnd commit compare compile compose composedPath concat config connect
    contains context copy copyWithin cork count create createComment createDocumentFragment
    createElement createElementNS createEvent createRange createTextNode data debug decode
    delete deref describe destroy detach digest dir disconnect dispatch dispatchEvent dispose
    done drop each ellipse emit empty encode encodeInto end endsWith enter entries equal equals
    error eventNames every exec execCommand execute exists exit expect extend extract fetch fill
    fillRect fillText filter finally find findIndex findLast findLastIndex first fixed flat
    flatMap flush focus forEach format formData forward from get getAll getAllResponseHeaders
    getAttribute getAttributeNames getBoundingClientRect getClientRects getComputedStyle getDate
    getDay getElementById getElementsByClassName getElementsByName getElementsByTagName
    getEntries getFullYear getHours getItem getMilliseconds getMinutes getMonth getPropertyValue
    getRandomValues getRangeAt getReader getResponseHeader getRootNode getSeconds getSelection
    getTime getTimezoneOffset getWriter getYear go group groupEnd handle has hasAttribute
    hasAttributes hasChildNodes hasFocus hasOwnProperty head id ignore importNode includes index
    indexOf info init insert insertAdjacentElement insertAdjacentHTML insertAdjacentText
    insertBefore inspect invoke is isEmpty isPaused isPrototypeOf isWellFormed item iterator
    join json key keys kill last lastIndexOf length limit lineTo link list listen listenerCount
    listeners load localeCompare lock log map mark match matchAll matches measure measureText
    merge message mkdir move moveTo name next normalize notify now observe of off offset on once
    open option options padEnd padStart parse patch path pause peek pipe pipeThrough pipeTo play
    plus pop post postMessage prepend prependListener preventDefault print process prompt
    propertyIsEnumerable push pushState put query querySelector querySelectorAll randomUUID rank
    read receive rect reduce reduceRight ref register reject release reload remove
    removeAllListeners removeAttribute removeChild removeEventListener removeItem removeListener
    removeProperty rename render repeat replace replaceAll replaceChild replaceChildren
    replaceState replaceWith reportValidity request requestSubmit require reset resize resolve
    restore result resume return reverse root rotate route run save scale scroll scrollBy
    scrollIntoView scrollTo search select selectNode send serialize set setAttribute setDate
    setEncoding setEnd setFullYear setHours setItem setMilliseconds setMinutes setMonth
    setPointerCapture setProperty setRequestHeader setSeconds setSelectionRange setStart setTime
    setTimeout setYear shift show showModal size skip slice small some sort source spawn splice
    split start startsWith state status stop stopImmediatePropagation stopPropagation stream
    strike stringify stroke strokeRect strokeText sub subarray submit subscribe substr substring
    success sum sup supports sync take takeRecords tee tell test text then throw throwIfAborted
    time timeEnd toArray toDate toDateString toExponential toFixed toggle toggleAttribute
    toISOString toJSON toLocaleDateString toLocaleLowerCase toLocaleString toLocaleTimeString
    toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toString
    toTimeString toUpperCase toUTCString toWellFormed trace transform translate trim trimEnd
    trimLeft trimRight trimStart type uncork unlock unobserve unpipe unref unregister unshift
    unsubscribe update use validate value valueOf values version visit wait walk warn warning
    where width with wrap write writeHead writeln
"""
_GO = """
    Add After Addr Before Bytes Cancel Clone Close Copy Day Decode Deadline Delete Do Done Elem
    Encode Equal Err Error Errorf Exec Execute Fatal Fatalf Field Find Flush Format Get Grow
    Handle Has Hash Header Headers Helper Host Id ID Index Info Interface Is IsDir IsNil IsValid
    IsZero Key Keys Kind Len Length Less Line Listen Load Lock Log Logf Match Method
    MethodByName Mode ModTime Name New Next Nanoseconds Now NumField NumMethod Open Parse Path
    Peek Ping Pop Print Printf Println Push Put Query QueryRow Range Read ReadAt ReadByte
    ReadFrom ReadLine ReadRune ReadString Release Remove Replace Request Reset Round Run RUnlock
    RLock Scan Seconds Seek Send Serve ServeHTTP Set Setenv SetDeadline Sign Signal Size Skip
    Sleep Slice Sort Split Start State Stat Stats Status Stop Store String Sub Sum Swap Sync Sys
    Tag Tell Test Text Time Token Trim Truncate Type Unix Unlock Unwrap Update URL UTC Valid
    Validate Value Values Version Visit Wait Walk Warn Width Write WriteAt WriteByte WriteHeader
    WriteRune WriteString WriteTo Year CompareAndSwap Broadcast Cause Context Debug Call Cap
    CanSet Convert Implements Minutes Hours MarshalJSON UnmarshalJSON MarshalText
"""
_RUST = """
    abs add all and and_then any append apply args arg as_bytes as_deref as_mut as_ptr as_ref
    as_slice as_str as_path back begin borrow borrow_mut bytes capacity chain char_indices chars
    checked_add chunks clear clone cloned close cmp collect compare concat contains contains_key
    copied copy count create current_dir cycle dedup default deref deref_mut display div
    downcast drain drop elapsed end ends_with entry enumerate env eq err exec exists exit expect
    expect_err extend extension extract fetch_add field file_name file_type fill filter
    filter_map find find_map finish first first_mut flat_map flatten flush fmt fold for_each
    from from_str front ge get get_mut get_or_insert_with get_or_init gt hash id index insert
    insert_str inspect into into_bytes into_inner into_iter into_owned into_string is_absolute
    is_alphabetic is_dir is_empty is_err is_file is_match is_none is_ok is_some is_some_and iter
    iter_mut join keys kill kind last le len len_utf8 length lines load lock lt map map_err
    map_or map_or_else matches max max_by max_by_key message metadata min min_by min_by_key
    modified mul name ne neg new next next_back next_line not nth ok ok_or ok_or_else open or
    or_default or_else or_insert or_insert_with output parent parse partial_cmp partition path
    peek peekable permissions pop pop_back pop_front position pow push push_back push_front
    push_str range read read_exact read_line read_to_end read_to_string recv remove repeat
    replace reserve resize retain reverse rev rsplit run saturating_sub save scan seek send set
    set_len size skip skip_while sleep slice sort sort_by sort_by_key sort_unstable source spawn
    splice split split_at split_off split_whitespace splitn sqrt start starts_with status
    step_by stderr stdin stdout stop store strip_prefix strip_suffix sub sum swap take
    take_while tell text then then_some to_ascii_lowercase to_ascii_uppercase to_bytes
    to_lowercase to_owned to_path_buf to_str to_string to_string_lossy to_uppercase to_vec trim
    trim_end trim_start truncate try_from try_into try_lock try_recv unwrap unwrap_err unwrap_or
    unwrap_or_default unwrap_or_else unzip update value values values_mut version wait wake
    windows with with_capacity write write_all write_fmt write_str zip build build_from captures
    captures_iter description file_stem get_or_insert group into_boxed_slice into_string_lossy
    is_char_boundary is_symlink join_all last_mut leak limit log log2 next_if or_insert_with_key
    poll poll_next replace_all reset resolve root rposition select setup shrink_to_fit shutdown
    symlink_metadata sync_all take_mut timeout total try_wait unwrap_unchecked visit walk
    with_extension
"""
_JAVA = """
    accept access accumulate acquire add addAll addFirst addLast allMatch and andThen anyMatch
    append apply array asList await before booleanValue build byteValue call cancel capacity
    cast charAt chars clear clone close collect compare compareAndSet compareTo
    compareToIgnoreCase compile complete compose compute computeIfAbsent computeIfPresent concat
    contains containsAll containsKey containsValue copy count countDown create createNewFile
    decrementAndGet delete destroy distinct doubleValue drainTo element empty endsWith
    ensureCapacity entry entrySet equals equalsIgnoreCase execute exists exit fill filter find
    findAny findFirst finish first flatMap flip floatValue flush forEach format formatted get
    getAbsolutePath getAndIncrement getAnnotation getBytes getCanonicalName getCause getClass
    getClassLoader getConstructor getContent getCount getDeclaredField getDeclaredFields
    getDeclaredMethod getField getFields getFile getFirst getHeader getHost getId getInputStream
    getInstance getInt getKey getLast getLength getLine getLocale getLong getMessage getMethod
    getMethods getModifiers getName getNext getNumber getObject getOrDefault getOutputStream
    getPackage getParameterTypes getParent getPath getPort getProperty getResource getReturnType
    getSimpleName getSize getStackTrace getState getStatus getString getSuperclass getText
    getTime getType getTypeName getUrl getValue getVersion getWriter group handle
    hasMoreElements hasMoreTokens hasNext hashCode head hit ifPresent ifPresentOrElse
    incrementAndGet indent indexOf init insert intValue interrupt intern invoke
    isAnnotationPresent isArray isAssignableFrom isBlank isCancelled isDirectory isDone isEmpty
    isEnum isFile isInstance isInterface isInterrupted isPresent isPrimitive iterator join key
    keySet last lastIndexOf lastModified length limit lines list listIterator load lock log
    longValue longs lookup map mapToInt mapToObj mark match matcher matches max merge min mkdir
    mkdirs name negate newInstance next nextElement nextInt noneMatch notify notifyAll of offer
    open openConnection or orElse orElseGet orElseThrow ordinal parallelStream parse peek
    peekFirst peekLast poll pollFirst pop position print printf println printStackTrace process
    push put putAll putIfAbsent query range read readLine readObject reduce register release
    remove removeAll removeFirst removeIf removeLast rename renameTo repeat replace replaceAll
    replaceFirst reset resolve result retainAll reverse rewind run save search select send set
    setAccessible setLength setName setProperty setText setValue shortValue shutdown shutdownNow
    size skip sleep sort sorted source split start startsWith state stop stream strip sub
    subList submit subSequence substring subtract sum supplyAsync take tell test then thenApply
    thenCompose toArray toCharArray toFile toList toLowerCase toPath toString toUpperCase toUri
    transform trim tryLock type unlock update validate value valueOf values visit wait walk with
    write writeObject
"""
_C = """
    acquire add allocate any append apply assign at back bad base before begin bind bucket_count
    c_str call cancel capacity cbegin cend clear clone close code compare
    compare_exchange_strong contains copy count create data deallocate delete detach distance
    emplace emplace_back emplace_front empty end eof equal equal_range erase error exchange
    execute exists extension extract fail fetch_add filename fill find find_first_of
    find_last_of finish first flags flip flush format front get get_allocator getline good graph
    hash hash_code has_value id ignore imag index init insert is_absolute is_open join joinable
    key key_comp length load lock lower_bound match max max_size merge message min move name
    next node none notify_all notify_one open operator ok ostream parent parse path peek pop
    pop_back pop_front position prev print process push push_back push_front put query rank
    rbegin read real ref release remove rend replace request reserve reset resize result reverse
    rfind run save seekg seekp send set setf shared_from_this shrink_to_fit signal size sort
    source splice start state status stem stop store str string sub substr swap sync tellg test
    text tie to_string top transform try_lock type unique unlock unsetf update upper_bound
    use_count valid value value_or values view visit wait what width write Add Append Clear
    Close Contains Copy Count Create Data Delete Empty End Equals Erase Error Find Get Init
    Insert Length Load Name Next Open Parse Pop Print Push Put Read Remove Reset Run Save Seek
    Set Size Start Status Stop String Swap ToString Type Update Value Write
"""

_PYTHON = frozenset(_DYNAMIC.split()).union(*map(dir, _BUILT_IN_TYPES))
_BY_FAMILY = {
    PYTHON: _PYTHON,
    SCRIPT: frozenset(_SCRIPT.split()),
    GO: frozenset(_GO.split()),
    RUST: frozenset(_RUST.split()),
    JAVA: frozenset(_JAVA.split()),
    C: frozenset(_C.split()),
}


def is_common(name: str, family: Family) -> bool:
    """Return whether a method of this name may be a library's."""
    return name in _BY_FAMILY[family]
